"""The pure part: values in, values out; no I/O, no clock, no randomness, no logging."""
