package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	pluginapi "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
)

func allocate(client pluginapi.DevicePluginClient, ids ...string) (*pluginapi.AllocateResponse, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return client.Allocate(ctx, &pluginapi.AllocateRequest{
		ContainerRequests: []*pluginapi.ContainerAllocateRequest{{DevicesIds: ids}},
	})
}

func TestOffersHealthyDevicesAndGrantsThem(t *testing.T) {
	dir := t.TempDir()
	kubelet := startKubelet(t, dir)
	plugin := startPlugin(t, dir, map[string]string{"FAKE_RESOURCE": "example.com/gpu", "FAKE_INVENTORY": "2"})
	client := kubelet.dial(t)
	if got := next(t, watch(t, client)); got != "Healthy Healthy" {
		t.Errorf("listed %q", got)
	}
	plugin.expectLog(t, "registered device plugin for 'example.com/gpu' with kubelet")
	answer, err := allocate(client, "fake-0", "fake-1")
	if err != nil {
		t.Fatal(err)
	}
	if got := answer.ContainerResponses[0].Envs["FAKE_DEVICES"]; got != "fake-0,fake-1" {
		t.Errorf("the container is given %q", got)
	}
	plugin.stop()
	if code := plugin.exit(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if _, err := os.Stat(filepath.Join(dir, "example.com_gpu.sock")); !os.IsNotExist(err) {
		t.Errorf("the socket is left behind: %v", err)
	}
}

func TestDeviceFaultsShowInTheFirstList(t *testing.T) {
	cases := map[string]struct {
		environment map[string]string
		want        string
	}{
		"zero devices":        {map[string]string{"FAKE_DEVICE_COUNT": "0"}, ""},
		"one device fewer":    {map[string]string{"FAKE_FEWER_DEVICES": "1"}, "Healthy Healthy Healthy"},
		"unhealthy at once":   {map[string]string{"FAKE_INVENTORY": "1", "FAKE_UNHEALTHY_AFTER": "0s"}, "Unhealthy"},
		"one of two is sick":  {map[string]string{"FAKE_INVENTORY": "2", "FAKE_UNHEALTHY_AFTER": "0s", "FAKE_UNHEALTHY_DEVICES": "1"}, "Unhealthy Healthy"},
		"condition not given": {map[string]string{"FAKE_INVENTORY": "1", "FAKE_DEVICE_COUNT": "0", "FAKE_ONLY_IF_FILE": "/nonexistent"}, "Healthy"},
		"condition given":     {map[string]string{"FAKE_INVENTORY": "1", "FAKE_DEVICE_COUNT": "0", "FAKE_ONLY_IF_FILE": "/"}, ""},
	}
	for name, each := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			kubelet := startKubelet(t, dir)
			startPlugin(t, dir, each.environment)
			if got := next(t, watch(t, kubelet.dial(t))); got != each.want {
				t.Errorf("listed %q, want %q", got, each.want)
			}
		})
	}
}

func TestHealthTogglesAndLatches(t *testing.T) {
	dir := t.TempDir()
	kubelet := startKubelet(t, dir)
	plugin := startPlugin(t, dir, map[string]string{
		"FAKE_INVENTORY": "1", "FAKE_UNHEALTHY_AFTER": "10ms",
		"FAKE_UNHEALTHY_FOR": "10ms", "FAKE_UNHEALTHY_REPEATS": "true",
	})
	stream := watch(t, kubelet.dial(t))
	seen := next(t, stream)
	for range 3 {
		now := next(t, stream)
		if now == seen {
			t.Fatalf("two lists in a row say %s", now)
		}
		seen = now
	}
	plugin.expectLog(t, "'example.com/fake' device marked unhealthy: fake-0")
}

func TestRegistersAgainWhenTheKubeletRestarts(t *testing.T) {
	dir := t.TempDir()
	first := startKubelet(t, dir)
	plugin := startPlugin(t, dir, nil)
	plugin.expectLog(t, "registered device plugin")
	first.server.Stop()
	second := startKubelet(t, dir)
	next(t, watch(t, second.dial(t)))
	plugin.expectLog(t, "kubelet.sock created, restarting device plugin")
}

func TestExitsWhenTheKubeletRestartsIfToldSo(t *testing.T) {
	dir := t.TempDir()
	first := startKubelet(t, dir)
	plugin := startPlugin(t, dir, map[string]string{"FAKE_ON_KUBELET_RESTART": "exit"})
	plugin.expectLog(t, "registered device plugin")
	first.server.Stop()
	startKubelet(t, dir)
	if code := plugin.exit(t); code != 1 {
		t.Errorf("exit code %d", code)
	}
}

func TestEndsTheStreamAndStaysAlive(t *testing.T) {
	dir := t.TempDir()
	kubelet := startKubelet(t, dir)
	startPlugin(t, dir, map[string]string{"FAKE_END_STREAM_AFTER": "10ms"})
	client := kubelet.dial(t)
	stream := watch(t, client)
	next(t, stream)
	if _, err := stream.Recv(); err != io.EOF {
		t.Errorf("the stream ended with %v", err)
	}
	if _, err := allocate(client, "fake-0"); err != nil {
		t.Errorf("the plugin is gone: %v", err)
	}
	if got := len(kubelet.registrations()); got != 1 {
		t.Errorf("registered %d times", got)
	}
}

func TestAllocateFaults(t *testing.T) {
	dir := t.TempDir()
	kubelet := startKubelet(t, dir)
	plugin := startPlugin(t, dir, map[string]string{"FAKE_ALLOCATE_ERROR": "device is lost"})
	if _, err := allocate(kubelet.dial(t), "fake-0"); err == nil || !strings.Contains(err.Error(), "device is lost") {
		t.Errorf("allocation answered %v", err)
	}
	plugin.expectLog(t, "failed to allocate devices of 'example.com/fake': device is lost")
}

func TestHangingAllocateEndsWithTheProcess(t *testing.T) {
	dir := t.TempDir()
	kubelet := startKubelet(t, dir)
	plugin := startPlugin(t, dir, map[string]string{"FAKE_ALLOCATE_HANG": "true"})
	client := kubelet.dial(t)
	plugin.expectLog(t, "registered device plugin")
	answered := make(chan error, 1)
	go func() {
		_, err := allocate(client, "fake-0")
		answered <- err
	}()
	select {
	case err := <-answered:
		t.Fatalf("allocation answered %v", err)
	case <-plugin.code:
		t.Fatal("the plugin ended")
	case <-waitBriefly():
	}
	plugin.stop()
	if err := <-answered; err == nil {
		t.Error("allocation succeeded")
	}
}

func TestOptionsTopologyCDIAndPreference(t *testing.T) {
	dir := t.TempDir()
	kubelet := startKubelet(t, dir)
	startPlugin(t, dir, map[string]string{
		"FAKE_NUMA_NODES": "[0, 1]", "FAKE_CDI_KIND": "example.com/gpu",
		"FAKE_PREFERRED_ERROR": "device is lost", "FAKE_ID_LENGTH": "12",
	})
	client := kubelet.dial(t)
	answer, err := watch(t, client).Recv()
	if err != nil {
		t.Fatal(err)
	}
	second := answer.Devices[1]
	if second.ID != "fake-1xxxxxx" || second.Topology.Nodes[0].ID != 1 {
		t.Errorf("second device is %v", second)
	}
	granted, err := allocate(client, "fake-0")
	if err != nil {
		t.Fatal(err)
	}
	if got := granted.ContainerResponses[0].CdiDevices[0].Name; got != "example.com/gpu=fake-0" {
		t.Errorf("CDI name %q", got)
	}
	if options := kubelet.registrations()[0].Options; !options.GetGetPreferredAllocationAvailable() {
		t.Errorf("options %v", options)
	}
	if _, err := client.GetPreferredAllocation(t.Context(), &pluginapi.PreferredAllocationRequest{}); err == nil {
		t.Error("the preference succeeded")
	}
}
