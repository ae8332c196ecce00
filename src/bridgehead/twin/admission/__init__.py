"""What the server adds to a write and why it refuses one: defaults, admission plugins, rules."""
