"""From an inventory and a spec to a plan: stages of nodes with their gates, or refusals with reasons."""
