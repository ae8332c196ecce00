"""The option ``--state-namespace``: where runs are recorded."""

import click

from bridgehead.cli.options import ClusterOptions
from bridgehead.cluster.perform import STATE_NAMESPACE

state_namespace_option = click.option(
    "--state-namespace",
    default=STATE_NAMESPACE,
    show_default=True,
    help="Namespace of the runs' records and locks.",
)


def as_arguments(cluster: ClusterOptions, state_namespace: str) -> str:
    """The options that name cluster and state as typed, for a command that is proposed next."""
    other = state_namespace != STATE_NAMESPACE
    return f"{cluster.as_arguments}{f' --state-namespace {state_namespace}' if other else ''}"
