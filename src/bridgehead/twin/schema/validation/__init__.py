"""Rules that objects of built-in kinds must obey, in the words of the real server.

Source: k8s.io/kubernetes/pkg/apis/GROUP/validation (1.37). A rule is a function that yields causes;
what is not checked here is listed in ``docs/limits.md``.
"""
