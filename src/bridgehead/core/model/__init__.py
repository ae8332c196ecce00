"""The nouns: node, device resource, workload, revision, snapshot, selectors, time values."""
