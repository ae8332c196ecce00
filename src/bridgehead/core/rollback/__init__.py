"""What was touched, in which order it is taken back, or why it is not."""
