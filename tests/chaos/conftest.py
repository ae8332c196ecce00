"""What tests of struck runs share: the scenarios' stage."""

from tests.scenarios.conftest import set_stage

__all__ = ["set_stage"]
