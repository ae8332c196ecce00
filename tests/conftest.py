"""What all tests share: the test bed's plugin (mark `cluster`, fixtures for the real cluster)."""

from hypothesis import HealthCheck, settings

# A busy machine makes an example slow, not wrong.
settings.register_profile("bridgehead", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("bridgehead")

pytest_plugins = ["testbed.fixtures"]
