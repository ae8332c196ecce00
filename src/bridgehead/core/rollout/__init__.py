"""The state of a run, and the one decision function that drives it forward and back."""
