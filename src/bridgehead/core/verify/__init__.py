"""Gates: from observations of one node to a verdict that can fail."""
