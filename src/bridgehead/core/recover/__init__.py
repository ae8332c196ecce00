"""Recovery: which rung of the ladder fits, what must hold before it, what it would do."""
