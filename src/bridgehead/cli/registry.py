"""Options about image registries, for commands that may ask them."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import click
import msgspec

F = TypeVar("F", bound=Callable[..., Any])


class RegistryOptions(msgspec.Struct, frozen=True):
    """Whether registries are asked; ``plain_http`` are those without TLS, as ``HOST[:PORT]``."""

    asks: bool
    plain_http: tuple[str, ...] = ()


def registry_options(*, asks: bool) -> Callable[[F], F]:
    """``--no-registry`` for a command that asks, ``--registry`` for one that does not by itself.

    The command gets them as ``registry``.
    """
    switch = (
        click.option(
            "--no-registry", "switch", is_flag=True, help="Ask no registry for images in trouble."
        )
        if asks
        else click.option(
            "--registry",
            "switch",
            is_flag=True,
            help="Ask registries whether they have the images, and for which architectures.",
        )
    )
    plain = click.option(
        "--plain-http",
        multiple=True,
        metavar="HOST[:PORT]",
        help="A registry that is reached by HTTP without TLS; repeatable.",
    )

    def decorate(command: F) -> F:
        @functools.wraps(command)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            switch, plain_http = kwargs.pop("switch"), kwargs.pop("plain_http")
            if plain_http and switch is asks:
                other = "goes without --no-registry" if asks else "goes with --registry"
                raise click.UsageError(f"--plain-http {other}")
            chosen = RegistryOptions(switch is not asks, plain_http)
            return command(*args, registry=chosen, **kwargs)

        return switch(plain(wrapped))  # type: ignore[return-value]

    return decorate
