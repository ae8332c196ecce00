"""Use cases, and the loop: decide, record the intent, perform, record the outcome."""
