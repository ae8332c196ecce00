"""What a plugin offers on a node: names of resources and ids of devices.

The fake driver is told both by its environment. Any other plugin offers what the node has: of the
names that its family claims or, where no family is known, of those that its container's environment
names, else of those that no family claims. Where the node has none of these either, a plugin of no
known family offers what the fake driver does of itself.
"""

from collections.abc import Mapping, Sequence

from bridgehead.core.components.family import FAMILIES, family_of_images
from bridgehead.twin.nodes.driver.knobs import Knobs
from bridgehead.twin.nodes.programs.process import Surroundings


class Offer:
    """One resource that a process serves, and its devices."""

    def __init__(self, resource: str, ids: Sequence[str], *, mark: str = "") -> None:
        self.resource = resource
        self.ids = ids
        self.mark = mark
        """What its socket's name has after the resource's, where a process serves one twice."""


class UnreadableOfferError(Exception):
    """A knob that names further resources cannot be understood."""


def offers(knobs: Knobs, image: str, around: Surroundings) -> list[Offer]:
    """Everything that the process serves, the main resources first. Raises UnreadableOfferError."""
    main = _main(knobs, image, around.hardware, around.environment)
    finds_idle_only = knobs["allocateTakesDevice"] or family_of_images([image]).shrinks_when_busy
    found = []
    for name, count in main.items():
        resource = f"{name}{knobs['resourceSuffix']}"
        busy = around.in_use(resource) if finds_idle_only else ()
        listed = [item for item in ids(knobs, _wanted(knobs, count)) if item not in busy]
        found.append(Offer(resource, listed))
    for extra in knobs["extraResources"]:
        name, separator, number = str(extra).partition("=")
        try:
            count = int(number)
        except ValueError:
            separator, count = "", 0
        if not separator:
            raise UnreadableOfferError(f'invalid extra resource "{extra}": must be name=count')
        first = next(iter(main), knobs["resource"])
        found.append(Offer(first + name if name.startswith("-") else name, ids(knobs, count)))
    if knobs["secondInstance"] is not None and found:
        second = ids(knobs, knobs["secondInstance"])
        found.append(Offer(found[0].resource, second, mark="-2"))
    return found


def ids(knobs: Knobs, count: int) -> list[str]:
    """Numbered device ids."""
    names = [f"{knobs['idPrefix']}-{number}" for number in range(max(count, 0))]
    return [name.ljust(knobs["idLength"], "x") for name in names]


def _wanted(knobs: Knobs, count: int) -> int:
    """What the knobs make of the devices that are there."""
    own = knobs["devices"]
    return int((count if own is None else own) - knobs["fewerDevices"])


def _main(
    knobs: Knobs, image: str, hardware: Mapping[str, int], environment: Mapping[str, str]
) -> dict[str, int]:
    if "resource" in knobs.given:
        name = knobs["resource"]
        if "inventory" in knobs.given or name not in hardware:
            return {name: knobs["inventory"]}
        return {name: hardware[name]}
    names = _found(image, hardware, environment)
    if names is None:
        return {knobs["resource"]: knobs["inventory"]}
    own = knobs["inventory"] if "inventory" in knobs.given else None
    return {name: hardware[name] if own is None else own for name in names}


def _found(
    image: str, hardware: Mapping[str, int], environment: Mapping[str, str]
) -> list[str] | None:
    """Resources that a plugin finds on the node; None for one that needs no hardware to show."""
    family = family_of_images([image])
    if family.resources:
        return sorted(name for name in hardware if family.offers(name))
    written = " ".join(environment.values())
    named = sorted(name for name in hardware if name in written)
    if named:
        return named
    free = sorted(name for name in hardware if not any(other.offers(name) for other in FAMILIES))
    return free or None
