"""Rules about how a plugin reaches the kubelet."""

from bridgehead.core.findings.rule import LintRule
from bridgehead.rules.lint.registration import (
    device_plugins_dir_relocated,
    kubelet_dir_not_from_host,
    kubelet_dir_type_hides_errors,
    kubernetes_version_not_supported,
    no_registration_mount,
    plugins_registry_not_relocated,
    registration_mount_read_only,
    registry_path_differs,
    socket_file_mounted,
    socket_path_differs,
)

RULES: tuple[LintRule, ...] = (
    no_registration_mount.RULE,
    kubelet_dir_not_from_host.RULE,
    socket_file_mounted.RULE,
    registration_mount_read_only.RULE,
    registry_path_differs.RULE,
    socket_path_differs.RULE,
    device_plugins_dir_relocated.RULE,
    plugins_registry_not_relocated.RULE,
    kubelet_dir_type_hides_errors.RULE,
    kubernetes_version_not_supported.RULE,
)
