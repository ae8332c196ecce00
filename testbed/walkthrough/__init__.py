"""The README's main job: a good and a bad version of a plugin, rolled out over real kubelets."""
