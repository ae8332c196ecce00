"""Twins of clusters that exist: from recorded objects, or some that are made up.

A twin starts settled: plugins run, nodes offer what they offered, workloads hold their devices.
What a record does not tell is assumed, and every assumption is listed (``Seed.assumptions``).
"""
