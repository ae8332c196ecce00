"""What rules see and what they say: declarations, needs, evidence, findings."""
