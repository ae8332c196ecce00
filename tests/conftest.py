"""What all tests share: the test bed's plugin (mark `cluster`, fixtures for the real cluster)."""

pytest_plugins = ["testbed.fixtures"]
