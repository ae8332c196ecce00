"""The four ways to change an object by a patch, and who owns which of its fields.

Pure functions: objects and patches in, new objects out; nothing that comes in is changed.
"""
