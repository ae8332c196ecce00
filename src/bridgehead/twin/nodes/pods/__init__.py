"""Pods on a node: their life from admission to the last trace, and what their status says."""
