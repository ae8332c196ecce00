"""From an inventory and a spec to a plan: stages and gates, or refusals with reasons."""
