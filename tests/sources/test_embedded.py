"""Documents inside ConfigMaps."""

from bridgehead.core.findings.manifest import Embedded
from bridgehead.sources.embedded import embedded_in
from bridgehead.sources.positions import manifests_in

CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"


def _texts(**data: str) -> dict[str, Embedded]:
    return dict(embedded_in({"kind": "ConfigMap", "data": data}))


def test_yaml_and_json_are_read_and_other_texts_left_alone() -> None:
    found = _texts(
        yaml="# comment\nversion: v1\n",
        json='{"a": [1]}',
        script="#!/bin/sh\necho a: b\n",
        certificate=CERTIFICATE,
        word="true",
        address="10.0.0.1",
    )
    assert found == {
        "yaml": Embedded(value={"version": "v1"}),
        "json": Embedded(value={"a": [1]}),
    }


def test_what_cannot_be_read_says_where() -> None:
    found = _texts(broken="a: b\nc: [1\n")["broken"]
    assert (found.value, "line 3" in found.problem) == (None, True)


def test_nothing_is_read_of_other_kinds_and_of_very_long_texts() -> None:
    assert embedded_in({"kind": "Secret", "data": {"a": "b: c"}}) == {}
    assert _texts(long="a: b\n" + "#" * 300_000) == {}


def test_a_manifest_carries_what_its_texts_hold() -> None:
    manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  a: |\n    b: c\n"
    as_list = "apiVersion: v1\nkind: List\nitems:\n" + "".join(
        f"  {'- ' if number == 0 else '  '}{line}\n"
        for number, line in enumerate(manifest.splitlines())
    )
    for text in (manifest, as_list):
        (found,) = manifests_in(text, "f.yaml")
        assert found.texts == {"a": Embedded(value={"b": "c"})}
