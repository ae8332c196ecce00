"""The nouns: nodes, pods, components, revisions, and the values that describe them."""
