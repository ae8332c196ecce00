"""What a plugin and the kubelet say when the kubelet does not take the plugin on.

Holds for 1.30.14 and 1.37.2: Register answers with the error, and dials back before it answers, so
that a plugin which prints its success line after the answer has been taken on.
"""

import pytest

from tests.facts.lab import Lab

pytestmark = pytest.mark.cluster

SUCCESS = "registered device plugin"


def refused(lab: Lab, pod: str, text: str) -> None:
    """The plugin is told so, prints no success line, and the node never knows the name."""
    lab.until(lambda: text in lab.log(pod))
    assert SUCCESS not in lab.log(pod)
    assert lab.offer() == (None, None)


def test_another_api_version_is_refused_in_these_words(lab: Lab) -> None:
    pod = lab.plugin(apiVersion="v1alpha1")
    refused(lab, pod, 'requested API version "v1alpha1" is not supported by kubelet')
    assert 'Supported version is ["v1beta1"]' in lab.log(pod)
    lab.until(lambda: "Bad registration request from device plugin" in lab.kubelet_log())


def test_a_bad_resource_name_is_refused_in_these_words(lab: Lab) -> None:
    refused(lab, lab.plugin(resourceSuffix="!"), f'the ResourceName "{lab.resource}!" is invalid')


def test_a_socket_that_the_kubelet_cannot_reach_is_refused_after_a_wait(lab: Lab) -> None:
    refused(lab, lab.plugin(serveDir="/tmp"), "failed to dial device plugin")


def test_a_plugin_that_fails_to_tell_its_options_is_refused(lab: Lab) -> None:
    refused(
        lab,
        lab.plugin(optionsError="no options today"),
        "failed to get device plugin options: rpc error: code = Unknown desc = no options today",
    )
