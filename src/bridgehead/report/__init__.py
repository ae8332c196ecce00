"""From values to text, JSON and Markdown."""
