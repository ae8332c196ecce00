"""Partial structs of Kubernetes objects: the fields that inventory, plan and gates need.

Unknown fields are ignored and missing ones have defaults, so that one odd object never makes a
whole list unreadable. Values of enumerations (phases, reasons, effects) are plain strings, since
a newer server may know more of them. Timestamps are aware `datetime` values.
"""
