"""The option ``--state-namespace``: where runs are recorded."""

import click

state_namespace_option = click.option(
    "--state-namespace",
    default="bridgehead",
    show_default=True,
    help="Namespace of the runs' records and locks.",
)
