"""What an action says that it costs."""

import json
import shlex

import msgspec

from bridgehead.core.diagnose.cause import Risk
from bridgehead.core.diagnose.remedies import remove_name, roll_back
from bridgehead.core.diagnose.scene import Scene
from tests.core.diagnose.cluster import daemon_set, observed


def test_a_way_back_restarts_what_the_controller_will_replace() -> None:
    component = Scene(observed(daemon_set())).plugins[0].component
    rolling = msgspec.structs.replace(component, strategy={"type": "RollingUpdate"})
    by_hand = msgspec.structs.replace(component, strategy={"type": "OnDelete"})

    assert roll_back(rolling).risk is Risk.ROLLOUT
    assert roll_back(by_hand).risk is Risk.NONE
    assert "until it is deleted" in roll_back(by_hand).text


def test_a_name_is_taken_away_only_where_it_still_is_at_nought() -> None:
    command = remove_name("n1", "example.com/card").command
    (patch,) = [word for word in shlex.split(command) if word.startswith("[")]
    paths = ["/status/capacity/example.com~1card", "/status/allocatable/example.com~1card"]
    assert json.loads(patch) == [
        *({"op": "test", "path": path, "value": "0"} for path in paths),
        *({"op": "remove", "path": path} for path in paths),
    ]
