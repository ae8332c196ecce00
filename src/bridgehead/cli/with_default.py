"""A group of which one command need not be named: ``journal RUN`` is ``journal show RUN``."""

import click


class GroupWithDefault(click.Group):
    """What does not begin with the name of a command goes to ``default``, options and all."""

    def __init__(self, *, default: str, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._default = default

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the default's name in front where no command and no help is asked for."""
        first = args[0] if args else ""
        if first not in self.commands and first not in ctx.help_option_names:
            args = [self._default, *args]
        return super().parse_args(ctx, args)
