"""From evidence to causes, with their effects under them and the next action."""
