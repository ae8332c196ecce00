"""The options that name a cluster and its state, as they were typed: for commands proposed next.

Errors end a command far from its options; what they propose must still reach the same cluster.
"""

from collections.abc import Sequence

_REPEATED = ("--kubeconfig", "--context", "--state-namespace")


def repeated(arguments: Sequence[str], names: Sequence[str] = _REPEATED) -> str:
    """Those options of a command line with their values, each after a space."""
    found: list[str] = []
    for number, word in enumerate(arguments):
        name, equals, value = word.partition("=")
        if name in names and equals:
            found += [name, value]
        elif word in names and number + 1 < len(arguments):
            found += [word, arguments[number + 1]]
    return "".join(f" {word}" for word in found)
