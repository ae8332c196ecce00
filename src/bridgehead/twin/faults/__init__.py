"""What can go wrong in a twin, as data: of an image version, a node, a cohort, or the API.

``text`` reads faults as people type them, ``catalogue`` lists those that are worth trying,
``laying`` puts them onto the nodes, and ``api`` between a client and the API.
"""
