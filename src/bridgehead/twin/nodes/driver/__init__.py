"""A device plugin as a process of the twin, with every fault of the test bed's fake driver.

What it does wrong is said by knobs; ``testbed/knobs.yaml`` explains each of them. Its log lines are
those of ``testbed/go/fakedriver``.
"""
