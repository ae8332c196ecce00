"""The two changes that are struck: a good one, and one that is bad on one node."""

from tests.scenarios.reading import parse_scenario
from tests.scenarios.scenario import Scenario

_GIVEN = """\
kind: Scenario
says: A run that is struck at any moment ends as one that is left alone.
runsOn: [kubelet]
images:
  fake:v1: {}
  fake:v2: {initFailure: exit, onlyIfFile: /var/lib/scenario/bad}
given:
  nodes:
    - {device: model-a}
    - {device: model-a}
    - {device: model-b}
    - {device: model-b}
  plugin: {image: fake:v1, devices: 4}
  workloads:
    - {node: 0, devices: 1}
    - {node: 1, devices: 2}
    - {node: 3, devices: 4}
spec:
  change: {images: {plugin: fake:v2}}
  canary: {restartTest: RESTART}
  waves: [{nodes: 100%, parallel: 2}]
  verify: {settle: 2s, soak: {canary: 2s, wave: 1s}}
  lock: {duration: LEASEs}
expect: {exit: 0}
"""

BAD_NODE = 2
"""The second cohort's canary: the first one has passed when it fails, and goes back with it."""

LEASE = 5
"""Seconds."""


def change(*, restart_test: bool, lease: int = LEASE) -> Scenario:
    """Four nodes of two kinds, three of them in use; bad where the file is."""
    text = _GIVEN.replace("RESTART", "always" if restart_test else "never")
    return parse_scenario(text.replace("LEASE", str(lease)), "chaos")
