"""Rules about what went wrong, from what was seen."""
