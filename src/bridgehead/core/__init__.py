"""The product's knowledge as pure functions: values in, values out; no I/O, no clock, no client."""
