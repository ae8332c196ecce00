"""Whether a plugin ends when it cannot initialise, or waits in silence: as its template says."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from bridgehead.core.components.family import family_of, plugin_containers
from bridgehead.core.components.signature import InitSwitch
from bridgehead.core.model.json import JsonObject, child, children, text

_TRUE = frozenset({"1", "t", "true"})
_FALSE = frozenset({"0", "f", "false"})


def ends_on_failed_init(template: JsonObject) -> bool | None:
    """True: it ends, and crash-loops where there is no device. False: it waits, Ready and useless.

    None where it cannot be told: the family has no such switch, or the value stands elsewhere.
    """
    family = family_of(template)
    if family.init is None:
        return None
    for container in plugin_containers(template):
        return _told(container, family.init)
    return None


def arguments(container: JsonObject) -> tuple[str, ...]:
    """The words of the container's command and arguments."""
    return (*_words(child(container, "command")), *_words(child(container, "args")))


def flag_value(container: JsonObject, flag: str, *, switch: bool = False) -> str | None:
    """The value of a flag, behind ``=`` or as the next word; None where it is not given.

    A ``switch`` takes no word of its own: it is ``true`` by standing there.
    """
    words = [*arguments(container), ""]
    for word, following in pairwise(words):
        name, equals, value = word.lstrip("-").partition("=")
        if word.startswith("-") and name == flag:
            return value if equals else "true" if switch else following
    return None


def environment(container: JsonObject, name: str) -> JsonObject | None:
    """The container's variable of that name, value or source; the last one counts."""
    found = [item for item in children(container, "env") if text(item, "name") == name]
    return found[-1] if found else None


def _told(container: JsonObject, switch: InitSwitch) -> bool | None:
    """The command line counts before the environment, and both before the file."""
    for value in init_values(container, switch):
        if value.lower() in _TRUE:
            return True
        if value.lower() in _FALSE:
            return False
        return None
    from_file = reads_file(container) is not None
    return None if from_file or children(container, "envFrom") else switch.default


def reads_file(container: JsonObject) -> str | None:
    """The configuration file that it is told to read, empty where that is kept elsewhere.

    None where it reads none.
    """
    flag = flag_value(container, "config-file")
    variable = environment(container, "CONFIG_FILE")
    return flag or (None if variable is None else text(variable, "value"))


def init_values(container: JsonObject, switch: InitSwitch) -> Iterator[str]:
    """What argument and variable say, in the order in which they count; empty: from elsewhere."""
    flag = flag_value(container, switch.flag, switch=True)
    if flag is not None:
        yield flag
    variable = environment(container, switch.env)
    if variable is not None:
        yield text(variable, "value")


def _words(value: object) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        return ()
    return tuple(item for item in value if isinstance(item, str))
