"""Records of a run, their chain of digests, and how to read them."""
