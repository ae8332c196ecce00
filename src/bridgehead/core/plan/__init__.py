"""Inventory and settings become a plan: waves of node steps and gates, or refusals with reasons."""
