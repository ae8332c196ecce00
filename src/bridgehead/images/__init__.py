"""Asks image registries, by the OCI distribution API, as the user who runs the command."""
