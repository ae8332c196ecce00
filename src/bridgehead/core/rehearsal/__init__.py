"""What becomes of a change that is played where it can do no harm."""
