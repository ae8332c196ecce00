"""The nodes of the twin: on each a kubelet with its device manager, a runtime, and hardware.

``fleet`` says what is there: hardware, files, and how images behave. ``nodes`` runs it.
"""
