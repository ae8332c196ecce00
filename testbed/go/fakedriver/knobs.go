package main

import (
	"fmt"
	"time"
)

// knobs are the settings and faults of one plugin process. testbed/knobs.yaml says what each of
// them means; a test compares its names and defaults with the table below.
type knobs struct {
	// Settings: obeyed always.
	resource    string
	inventory   int
	idPrefix    string
	version     string
	nodeName    string
	socketDir   string
	socketName  string
	discoverDir string
	logFormat   string
	onlyIfFile  string
	onlyIfLabel string

	// Faults: obeyed only where the conditions onlyIfFile and onlyIfLabel are met.
	devices             *int
	fewerDevices        int
	idLength            int
	discover            string
	numaNodes           []int64
	unhealthyAfter      *time.Duration
	unhealthyDevices    *int
	unhealthyFor        *time.Duration
	unhealthyRepeats    bool
	resourceSuffix      string
	extraResources      []string
	secondInstance      *int
	secondInstanceAfter time.Duration
	registers           string
	registerDelay       time.Duration
	apiVersion          string
	serveDir            string
	kubeletDir          string
	optionsError        string
	endStreamAfter      *time.Duration
	onKubeletRestart    string
	socketAtStart       string
	socketAtExit        string
	allocateError       string
	allocateHang        bool
	allocateDelay       time.Duration
	allocateTakesDevice bool
	preferredAllocation bool
	preferredError      string
	preStartError       string
	cdiKind             string
	initFailure         string
	initFailureFile     string
	initFailureMessage  string
	initExitCode        int
	apiCall             string
	crashAfter          *time.Duration
	crashExitCode       int
	crashMessage        string
	stopDelay           time.Duration
	memoryGrowthMiB     int
	memoryLimitMiB      int
	runAsUser           int
	logLines            []string
	logLinesAfter       time.Duration
}

type group int

const (
	setting group = iota
	fault
)

// knob ties one environment variable to its place. initial has the form of the variable's value;
// an empty variable counts as unset, so that a pod can take back what its image set.
type knob struct {
	group   group
	env     string
	initial string
	parse   parser
}

func (k *knobs) table() []knob {
	return []knob{
		{setting, "FAKE_RESOURCE", "example.com/fake", text(&k.resource)},
		{setting, "FAKE_INVENTORY", "4", integer(&k.inventory)},
		{setting, "FAKE_ID_PREFIX", "fake", text(&k.idPrefix)},
		{setting, "FAKE_VERSION", "dev", text(&k.version)},
		{setting, "NODE_NAME", "", text(&k.nodeName)},
		{setting, "FAKE_SOCKET_DIR", "/var/lib/kubelet/device-plugins", text(&k.socketDir)},
		{setting, "FAKE_SOCKET_NAME", "fixed", choice(&k.socketName, "fixed", "unique")},
		{setting, "FAKE_DISCOVER_DIR", "", text(&k.discoverDir)},
		{setting, "FAKE_LOG_FORMAT", "klog", choice(&k.logFormat, "klog", "json", "logrus", "plain")},
		{setting, "FAKE_ONLY_IF_FILE", "", text(&k.onlyIfFile)},
		{setting, "FAKE_ONLY_IF_LABEL", "", text(&k.onlyIfLabel)},

		{fault, "FAKE_DEVICE_COUNT", "", optionalInteger(&k.devices)},
		{fault, "FAKE_FEWER_DEVICES", "0", integer(&k.fewerDevices)},
		{fault, "FAKE_ID_LENGTH", "0", integer(&k.idLength)},
		{fault, "FAKE_DISCOVER", "once", choice(&k.discover, "once", "live")},
		{fault, "FAKE_NUMA_NODES", "[]", integers(&k.numaNodes)},
		{fault, "FAKE_UNHEALTHY_AFTER", "", optionalSpan(&k.unhealthyAfter)},
		{fault, "FAKE_UNHEALTHY_DEVICES", "", optionalInteger(&k.unhealthyDevices)},
		{fault, "FAKE_UNHEALTHY_FOR", "", optionalSpan(&k.unhealthyFor)},
		{fault, "FAKE_UNHEALTHY_REPEATS", "false", flag(&k.unhealthyRepeats)},
		{fault, "FAKE_RESOURCE_SUFFIX", "", text(&k.resourceSuffix)},
		{fault, "FAKE_EXTRA_RESOURCES", "[]", texts(&k.extraResources)},
		{fault, "FAKE_SECOND_INSTANCE", "", optionalInteger(&k.secondInstance)},
		{fault, "FAKE_SECOND_INSTANCE_AFTER", "0s", span(&k.secondInstanceAfter)},
		{fault, "FAKE_REGISTERS", "normally", choice(&k.registers, "normally", "late", "never")},
		{fault, "FAKE_REGISTER_DELAY", "20s", span(&k.registerDelay)},
		{fault, "FAKE_API_VERSION", "v1beta1", text(&k.apiVersion)},
		{fault, "FAKE_SERVE_DIR", "", text(&k.serveDir)},
		{fault, "FAKE_KUBELET_DIR", "", text(&k.kubeletDir)},
		{fault, "FAKE_OPTIONS_ERROR", "", text(&k.optionsError)},
		{fault, "FAKE_END_STREAM_AFTER", "", optionalSpan(&k.endStreamAfter)},
		{fault, "FAKE_ON_KUBELET_RESTART", "register", choice(&k.onKubeletRestart, "register", "ignore", "exit")},
		{fault, "FAKE_SOCKET_AT_START", "remove", choice(&k.socketAtStart, "remove", "keep")},
		{fault, "FAKE_SOCKET_AT_EXIT", "remove", choice(&k.socketAtExit, "remove", "keep")},
		{fault, "FAKE_ALLOCATE_ERROR", "", text(&k.allocateError)},
		{fault, "FAKE_ALLOCATE_HANG", "false", flag(&k.allocateHang)},
		{fault, "FAKE_ALLOCATE_DELAY", "0s", span(&k.allocateDelay)},
		{fault, "FAKE_ALLOCATE_TAKES_DEVICE", "false", flag(&k.allocateTakesDevice)},
		{fault, "FAKE_PREFERRED_ALLOCATION", "false", flag(&k.preferredAllocation)},
		{fault, "FAKE_PREFERRED_ERROR", "", text(&k.preferredError)},
		{fault, "FAKE_PRE_START_ERROR", "", text(&k.preStartError)},
		{fault, "FAKE_CDI_KIND", "", text(&k.cdiKind)},
		{fault, "FAKE_INIT_FAILURE", "none", choice(&k.initFailure, "none", "exit", "block", "retry")},
		{fault, "FAKE_INIT_FAILURE_FILE", "", text(&k.initFailureFile)},
		{fault, "FAKE_INIT_FAILURE_MESSAGE", "driver library not found", text(&k.initFailureMessage)},
		{fault, "FAKE_INIT_EXIT_CODE", "1", integer(&k.initExitCode)},
		{fault, "FAKE_API_CALL", "none", choice(&k.apiCall, "none", "listNodes", "listPods", "getNode")},
		{fault, "FAKE_CRASH_AFTER", "", optionalSpan(&k.crashAfter)},
		{fault, "FAKE_CRASH_EXIT_CODE", "1", integer(&k.crashExitCode)},
		{fault, "FAKE_CRASH_MESSAGE", "device monitor stopped unexpectedly", text(&k.crashMessage)},
		{fault, "FAKE_STOP_DELAY", "0s", span(&k.stopDelay)},
		{fault, "FAKE_MEMORY_GROWTH_MIB", "0", integer(&k.memoryGrowthMiB)},
		{fault, "FAKE_MEMORY_LIMIT_MIB", "256", integer(&k.memoryLimitMiB)},
		{fault, "FAKE_RUN_AS_USER", "0", integer(&k.runAsUser)},
		{fault, "FAKE_LOG_LINES", "[]", texts(&k.logLines)},
		{fault, "FAKE_LOG_LINES_AFTER", "0s", span(&k.logLinesAfter)},
	}
}

// readKnobs takes the settings from the environment, and the faults as well when withFaults says
// so; otherwise every fault has its harmless default.
func readKnobs(getenv func(string) string, withFaults bool) (knobs, error) {
	var k knobs
	for _, entry := range k.table() {
		value := entry.initial
		if given := getenv(entry.env); given != "" && (entry.group == setting || withFaults) {
			value = given
		}
		if err := entry.parse(value); err != nil {
			return knobs{}, fmt.Errorf("invalid value %q of %s: %w", value, entry.env, err)
		}
	}
	return k, nil
}

// kubeletSocket is where the plugin looks for the kubelet's registration service.
func (k *knobs) kubeletSocket() string {
	dir := k.socketDir
	if k.kubeletDir != "" {
		dir = k.kubeletDir
	}
	return dir + "/kubelet.sock"
}
