package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// waitBriefly gives a wrong reaction the time to happen.
func waitBriefly() <-chan time.Time { return time.After(100 * time.Millisecond) }

func TestRegistersUnderOtherNames(t *testing.T) {
	dir := t.TempDir()
	kubelet := startKubelet(t, dir)
	startPlugin(t, dir, map[string]string{
		"FAKE_RESOURCE_SUFFIX": "-b", "FAKE_EXTRA_RESOURCES": `["-part=2", "other.io/x=1"]`,
		"FAKE_SECOND_INSTANCE": "3",
	})
	waitFor(t, "four registrations", func() bool { return len(kubelet.registrations()) == 4 })
	var names []string
	for _, call := range kubelet.registrations() {
		names = append(names, call.ResourceName)
	}
	slices.Sort(names)
	if got := strings.Join(names, " "); got != "example.com/fake-b example.com/fake-b example.com/fake-part other.io/x" {
		t.Errorf("registered %s", got)
	}
}

func TestNeverRegisters(t *testing.T) {
	dir := t.TempDir()
	kubelet := startKubelet(t, dir)
	plugin := startPlugin(t, dir, map[string]string{"FAKE_REGISTERS": "never"})
	plugin.expectLog(t, "serving 'example.com/fake'")
	<-waitBriefly()
	if got := len(kubelet.registrations()); got != 0 {
		t.Errorf("registered %d times", got)
	}
}

func TestRegistersLate(t *testing.T) {
	dir := t.TempDir()
	kubelet := startKubelet(t, dir)
	begin := time.Now()
	startPlugin(t, dir, map[string]string{"FAKE_REGISTERS": "late", "FAKE_REGISTER_DELAY": "50ms"})
	kubelet.dial(t)
	if waited := time.Since(begin); waited < 50*time.Millisecond {
		t.Errorf("registered after %s", waited)
	}
}

func TestSaysWhyItCannotRegister(t *testing.T) {
	cases := map[string]struct {
		kubelet     bool
		environment map[string]string
		line        string
	}{
		"no kubelet":        {false, nil, "kubelet.sock: connect: no such file or directory"},
		"wrong directory":   {true, map[string]string{"FAKE_KUBELET_DIR": "/nonexistent"}, "dial unix /nonexistent/kubelet.sock: connect: no such file"},
		"wrong API version": {true, map[string]string{"FAKE_API_VERSION": "v1alpha"}, "requested API version V1ALPHA is not supported"},
	}
	for name, each := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if each.kubelet {
				startKubelet(t, dir)
			}
			plugin := startPlugin(t, dir, each.environment)
			plugin.expectLog(t, "could not register device plugin for 'example.com/fake': ")
			plugin.expectLog(t, each.line)
		})
	}
}

func TestRegistersOnceTheKubeletComes(t *testing.T) {
	dir := t.TempDir()
	plugin := startPlugin(t, dir, nil)
	plugin.expectLog(t, "could not register device plugin")
	kubelet := startKubelet(t, dir)
	next(t, watch(t, kubelet.dial(t)))
}

func TestFailsAtStart(t *testing.T) {
	dir := t.TempDir()
	plugin := startPlugin(t, dir, map[string]string{
		"FAKE_INIT_FAILURE": "exit", "FAKE_INIT_EXIT_CODE": "7", "FAKE_LOG_LINES": `["NVRM: Xid 79"]`,
	})
	if code := plugin.exit(t); code != 7 {
		t.Errorf("exit code %d", code)
	}
	plugin.expectLog(t, "failed to initialise: driver library not found")
	plugin.expectLog(t, "NVRM: Xid 79\n")
}

func TestRetriesAtStartUntilTheHostIsSound(t *testing.T) {
	dir := t.TempDir()
	fault := filepath.Join(dir, "broken")
	if err := os.WriteFile(fault, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	plugin := startPlugin(t, dir, map[string]string{"FAKE_INIT_FAILURE": "retry", "FAKE_INIT_FAILURE_FILE": fault})
	plugin.expectLog(t, "driver library not found, retrying")
	if err := os.Remove(fault); err != nil {
		t.Fatal(err)
	}
	plugin.expectLog(t, "serving 'example.com/fake'")
}

func TestBlocksAtStartAndStopsWhenTold(t *testing.T) {
	plugin := startPlugin(t, t.TempDir(), map[string]string{"FAKE_INIT_FAILURE": "block"})
	plugin.expectLog(t, "waiting indefinitely")
	plugin.stop()
	if code := plugin.exit(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestCrashesLater(t *testing.T) {
	plugin := startPlugin(t, t.TempDir(), map[string]string{"FAKE_CRASH_AFTER": "20ms", "FAKE_CRASH_EXIT_CODE": "9"})
	if code := plugin.exit(t); code != 9 {
		t.Errorf("exit code %d", code)
	}
	plugin.expectLog(t, "device monitor stopped unexpectedly")
}

func TestStopsSlowly(t *testing.T) {
	plugin := startPlugin(t, t.TempDir(), map[string]string{"FAKE_STOP_DELAY": "150ms"})
	plugin.expectLog(t, "serving")
	begin := time.Now()
	plugin.stop()
	plugin.exit(t)
	if took := time.Since(begin); took < 150*time.Millisecond {
		t.Errorf("stopped after %s", took)
	}
}

func TestKeepsItsSocketAtExitAndMeetsItAtTheNextStart(t *testing.T) {
	dir := t.TempDir()
	plugin := startPlugin(t, dir, map[string]string{"FAKE_SOCKET_AT_EXIT": "keep"})
	plugin.expectLog(t, "serving")
	plugin.stop()
	plugin.exit(t)
	again := startPlugin(t, dir, map[string]string{"FAKE_SOCKET_AT_START": "keep"})
	if code := again.exit(t); code != 1 {
		t.Errorf("exit code %d", code)
	}
	again.expectLog(t, "bind: address already in use")
}

func TestDiscoversDevicesLive(t *testing.T) {
	dir, devices := t.TempDir(), t.TempDir()
	kubelet := startKubelet(t, dir)
	startPlugin(t, dir, map[string]string{
		"FAKE_DISCOVER_DIR": devices, "FAKE_DISCOVER": "live", "FAKE_ALLOCATE_TAKES_DEVICE": "true",
	})
	client := kubelet.dial(t)
	stream := watch(t, client)
	if got := next(t, stream); got != "" {
		t.Errorf("listed %q", got)
	}
	if err := os.WriteFile(filepath.Join(devices, "card0"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := next(t, stream); got != "Healthy" {
		t.Errorf("listed %q", got)
	}
	if _, err := allocate(client, "card0"); err != nil {
		t.Fatal(err)
	}
	if got := next(t, stream); got != "" {
		t.Errorf("listed %q after the device was taken", got)
	}
}

func TestRefusesASettingThatItCannotRead(t *testing.T) {
	plugin := startPlugin(t, t.TempDir(), map[string]string{"FAKE_DEVICE_COUNT": "many"})
	if code := plugin.exit(t); code != exitBadSetting {
		t.Errorf("exit code %d", code)
	}
	plugin.expectLog(t, `invalid value "many" of FAKE_DEVICE_COUNT`)
}
