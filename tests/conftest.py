"""What all tests share: the test bed's plugin (mark `cluster`, fixtures for the real cluster)."""

import pytest
from hypothesis import HealthCheck, settings

# A busy machine makes an example slow, not wrong.
settings.register_profile("bridgehead", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("bridgehead")

pytest_plugins = ["testbed.fixtures"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options of single tests."""
    parser.addoption(
        "--keep-captures", metavar="FOLDER", help="copy what tests/faults saves of the cluster here"
    )
