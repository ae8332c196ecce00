"""The whole life of a device plugin's process.

Source: testbed/go/fakedriver/run.go, start.go, condition.go and apiserver.go.
"""

from bridgehead.twin.nodes.driver import lines
from bridgehead.twin.nodes.driver.instance import Instance
from bridgehead.twin.nodes.driver.knobs import InvalidKnobError, Knobs
from bridgehead.twin.nodes.driver.offers import UnreadableOfferError, offers
from bridgehead.twin.nodes.programs.process import Process, Surroundings

_EXIT_FAILURE = 1
_EXIT_BAD_SETTING = 2
_INIT_RETRY = 1.0

_CALLS = {
    "listNodes": ("list", "nodes", "list nodes"),
    "listPods": ("list", "pods", "list pods"),
    "getNode": ("get", "nodes", "get node"),
}


class Driver(Process):
    """A device plugin that does what its environment says."""

    def __init__(self, around: Surroundings, image: str) -> None:
        """``image``: its reference, by which the family of a real plugin is known."""
        super().__init__(around)
        self._image = image
        self._instances: list[Instance] = []
        self._style = "klog"
        self.knobs: Knobs

    def say(self, line: lines.Line, *values: object) -> None:
        """Write a line."""
        now = self.around.clock.now()
        self.around.write(lines.shaped(self._style, line, values, now))

    def begin(self) -> None:
        """Read the knobs, find the driver, ask the API server, and serve."""
        try:
            self.knobs = Knobs.read(self.around.environment, with_faults=True)
        except InvalidKnobError as error:
            self.say(lines.UNREADABLE, error)
            self.exit(_EXIT_BAD_SETTING)
            return
        self._style = self.knobs["logFormat"]
        self.say(lines.STARTING, self.knobs["version"])
        wrong = self._condition_unreadable()
        if wrong:
            self.say(lines.NOT_JUDGED, wrong)
            self.exit(_EXIT_FAILURE)
            return
        if not self._faults_apply():
            self.knobs = Knobs.read(self.around.environment, with_faults=False)
        self._print_extra_lines()
        self._find_driver()

    def served(self) -> dict[str, list[str]]:
        """Ids of devices by resource."""
        return {item.resource: list(item.offer.ids) for item in self._instances}

    def terminate(self) -> None:
        """Serve on for a while, then end well."""
        if not self._instances:
            self.exit(0)
            return
        self.say(lines.STOPPING)
        self.after(self.knobs["stopDelay"], lambda: self.exit(0))

    def end(self) -> None:
        """All connections break."""
        super().end()
        for instance in self._instances:
            instance.close()

    def _condition_unreadable(self) -> str:
        condition = self.knobs["onlyIfLabel"]
        if not condition:
            return ""
        if "=" not in condition:
            return f'invalid label condition "{condition}": must be key=value'
        refusal = self.around.refusal("get", "nodes", self.knobs["nodeName"])
        if refusal:
            return f'failed to read labels of node "{self.knobs["nodeName"]}": {refusal}'
        return ""

    def _faults_apply(self) -> bool:
        """Whether this node is one of those on which the version is bad."""
        file, condition = self.knobs["onlyIfFile"], self.knobs["onlyIfLabel"]
        if file and not self.around.exists(file):
            return False
        key, _, value = condition.partition("=")
        return not condition or self.around.labels().get(key) == value

    def _print_extra_lines(self) -> None:
        def print_all() -> None:
            for line in self.knobs["logLines"]:
                self.around.write(line)

        if self.knobs["logLinesAfter"]:
            self.after(self.knobs["logLinesAfter"], print_all)
        else:
            print_all()

    def _find_driver(self) -> None:
        """Fail in one of the ways known from the field: exit, wait for ever, try again."""
        file = self.knobs["initFailureFile"]
        way = self.knobs["initFailure"]
        if way == "none" or (file and not self.around.exists(file)):
            self._call_api_server()
            return
        failure = f"failed to initialise: {self.knobs['initFailureMessage']}"
        if way == "exit":
            self.say(lines.NOT_STARTED, failure)
            self.exit(self.knobs["initExitCode"])
        elif way == "block":
            self.say(lines.BLOCKED, failure)
            self.say(lines.BLOCKED_FOR_EVER)
        else:
            self.say(lines.RETRYING, failure)
            self.after(_INIT_RETRY, self._find_driver)

    def _call_api_server(self) -> None:
        """The request that a plugin makes before anything else."""
        if self.knobs["apiCall"] != "none":
            verb, resource, intent = _CALLS[self.knobs["apiCall"]]
            name = self.knobs["nodeName"] if verb == "get" else ""
            refusal = self.around.refusal(verb, resource, name)
            if refusal:
                self.say(lines.NOT_STARTED, f"failed to {intent}: {refusal}")
                self.exit(self.knobs["initExitCode"])
                return
        self._offer_all()

    def _offer_all(self) -> None:
        """Serve every instance beside the faults of the whole process."""
        around = self.around
        try:
            wanted = offers(self.knobs, self._image, around)
        except UnreadableOfferError as error:
            self.say(lines.NOT_DISCOVERED, error)
            self.exit(_EXIT_FAILURE)
            return
        for offer in wanted:
            if not offer.ids:
                self.say(lines.NO_DEVICES, offer.resource)
        self._instances = [Instance(self, offer) for offer in wanted]
        if self.knobs["crashAfter"] is not None:
            self.after(self.knobs["crashAfter"], self._crash)
        for instance in self._instances:
            late = self.knobs["secondInstanceAfter"] if instance.offer.mark else 0.0
            if late:
                self.after(late, instance.run)
            elif not self.ended:
                instance.run()

    def fail(self, why: str) -> None:
        """An instance cannot go on, and the process with it."""
        self.say(lines.INSTANCE_ENDED, why)
        self.exit(_EXIT_FAILURE)

    def _crash(self) -> None:
        self.say(lines.CRASHED, self.knobs["crashMessage"])
        self.exit(self.knobs["crashExitCode"])
