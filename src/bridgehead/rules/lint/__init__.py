"""Rules about manifests, before anything is changed."""
