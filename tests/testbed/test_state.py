"""Names and address ranges tell clusters apart, and nodes from each other."""

import ipaddress
import shutil

import pytest

from testbed.errors import TestbedError
from testbed.locks import locked, locked_by_name
from testbed.network import link_of
from testbed.state import Addresses, State, claim, state_of

needs_ip = pytest.mark.skipif(shutil.which("ip") is None, reason="asks the machine for its routes")


@pytest.fixture
def root(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path_factory.mktemp("root")
    monkeypatch.setattr("tempfile.tempdir", str(folder))


@pytest.mark.parametrize("name", ["", "Upper", "a/b", "-a", "a" * 41, "a.b"])
def test_a_name_that_cannot_be_a_link_or_folder_is_refused(name: str) -> None:
    with pytest.raises(TestbedError, match="use 1 to 40"):
        state_of(name)


def test_a_state_folder_that_nodes_hide_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", "/var/lib/somewhere")
    with pytest.raises(TestbedError, match="set TMPDIR"):
        state_of("a")


def test_link_names_fit_the_kernel_and_differ_between_clusters() -> None:
    first, second = state_of("one"), state_of("two")
    assert max(len(link_of(first, 249)), len(first.bridge)) <= 15
    assert first.bridge != second.bridge


@needs_ip
@pytest.mark.usefixtures("root")
def test_two_clusters_get_ranges_that_do_not_overlap() -> None:
    first, second = (Addresses(claim(state_of(name), None).slot) for name in ("one", "two"))
    assert first.slot != second.slot
    assert first.api != second.api
    for number in (1, 249):
        ours = ipaddress.ip_network(first.pods(number))
        assert not ours.overlaps(ipaddress.ip_network(second.pods(number)))


@needs_ip
@pytest.mark.usefixtures("root")
def test_a_record_says_with_whose_end_the_cluster_ends() -> None:
    state = state_of("one")
    claim(state, (4711, 42))
    assert (state.record().owner_pid, state.record().owner_started) == (4711, 42)


def test_a_cluster_that_was_never_started_says_how_to_start_it() -> None:
    with pytest.raises(TestbedError, match="testbed up --name never"):
        state_of("never").record()


def test_nodes_and_their_pods_have_ranges_of_their_own() -> None:
    addresses = Addresses(3)
    assert addresses.node(1) == "10.213.3.2"
    assert addresses.node(249) == "10.213.3.250"
    assert addresses.pods(1) == "100.67.1.0/24"


@pytest.mark.usefixtures("root")
def test_a_lock_is_free_again_after_its_holder(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("locks") / "lock"
    for _ in range(2):
        with locked(path):
            assert path.exists()
    for _ in range(2):
        with locked_by_name(str(path)):
            assert path.exists()


def test_the_name_of_a_state_is_that_of_its_cluster() -> None:
    state = state_of("one")
    assert State(state.folder).name == "one"
