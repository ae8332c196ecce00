"""What is known to go wrong: one rule a file, its docstring is its card."""
