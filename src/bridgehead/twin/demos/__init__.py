"""Demonstrations: a small simulated cluster each, and the releases that are made to it."""
