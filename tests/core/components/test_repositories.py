"""Registries from which pods may pull without a secret of their own."""

import pytest

from bridgehead.core.components.repositories import may_need_no_secret


@pytest.mark.parametrize(
    "registry",
    [
        "docker.io",
        "nvcr.io",
        "europe-docker.pkg.dev",
        "eu.gcr.io",
        "team.azurecr.io",
        "123456789012.dkr.ecr.eu-west-1.amazonaws.com",
        "123456789012.dkr.ecr-fips.us-east-1.amazonaws.com",
    ],
)
def test_public_registries_and_those_of_clouds_may_need_none(registry: str) -> None:
    assert may_need_no_secret(registry)


@pytest.mark.parametrize(
    "registry", ["registry.corp.example", "nvcr.io.corp.example", "harbor:5000", ""]
)
def test_others_are_asked_with_a_secret_where_somebody_does(registry: str) -> None:
    assert not may_need_no_secret(registry)
