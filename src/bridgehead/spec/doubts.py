"""What a valid spec says that its writer may not have meant: warnings, which stop nothing."""

from collections.abc import Iterator

from bridgehead.core.model.image import parse_image
from bridgehead.core.model.problem import Problem
from bridgehead.core.plan.settings import ImagesChange, RolloutSpec
from bridgehead.spec.document import Document, Path, path_text
from bridgehead.spec.scalar import odd_boolean


def doubts(document: Document, spec: RolloutSpec) -> Iterator[Problem]:
    """The warnings for a document that was read as this spec."""
    yield from _moving_images(document, spec)
    yield from _idle_parallel(document, spec)
    if spec.two_people and not spec.approve:
        said = "twoPeople is set, but nothing waits for an approval"
        yield document.at_key(("twoPeople",), said, "name the points under approve")
    if spec.allow.reader and not spec.reader.image:
        said = "allow.reader is set, but there is no image for it: nodes are not looked at"
        yield document.at_key(("allow", "reader"), said, "name one under reader.image")
    for path, scalar in document.scalars.items():
        if odd_boolean(scalar):
            read = f"{path_text(path)}: {scalar.text} was read as {str(scalar.value).lower()}"
            yield document.at_value(path, read, f"write {str(scalar.value).lower()}")


def _moving_images(document: Document, spec: RolloutSpec) -> Iterator[Problem]:
    wanted = spec.change.by_container() if isinstance(spec.change, ImagesChange) else {}
    images: dict[Path, str] = {
        ("change", "images", container): reference for container, reference in wanted.items()
    }
    if spec.verify.probe is not None:
        images["verify", "probe", "image"] = spec.verify.probe.image
    for path, text in images.items():
        image = parse_image(text)
        if image.moves:
            named = "the tag latest" if image.tag else "neither tag nor digest, which means latest"
            yield document.at_value(
                path,
                f"{path_text(path)}: {text} has {named}: each node may get another image",
                "name a version, or better a digest",
            )


def _idle_parallel(document: Document, spec: RolloutSpec) -> Iterator[Problem]:
    if spec.unproven is None:
        return
    for index, wave in enumerate(spec.waves):
        if spec.unproven < wave.parallel:
            path: Path = ("waves", index, "parallel")
            yield document.at_value(
                path if document.has(*path) else ("unproven",),
                f"waves[{index}].parallel is {wave.parallel}, but unproven allows only "
                f"{spec.unproven} nodes at a time",
            )
