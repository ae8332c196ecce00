"""Specs that the tests share."""

from bridgehead.spec import Problem, SpecAccepted, SpecRejected, read_spec

MINIMAL = """\
apiVersion: bridgehead.dev/v1alpha1
kind: Rollout
metadata: {name: plugin-1-2}
component:
  daemonSet: {namespace: gpu-system, name: plugin}
change:
  images: {plugin: "registry.example:5000/plugin:1.2.3"}
"""


def accepted(text: str) -> SpecAccepted:
    """What a good spec gives."""
    result = read_spec(text, "b.yaml")
    assert isinstance(result, SpecAccepted), [str(p) for p in result.problems]
    return result


def rejected(text: str) -> tuple[Problem, ...]:
    """What is wrong with a bad spec."""
    result = read_spec(text, "b.yaml")
    assert isinstance(result, SpecRejected)
    return result.problems


def only_problem(text: str) -> Problem:
    """The one thing that is wrong."""
    problems = rejected(text)
    assert len(problems) == 1, [str(p) for p in problems]
    return problems[0]
