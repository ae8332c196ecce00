package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	pluginapi "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
)

// pool holds the devices that one resource offers, and tells its readers when they change.
type pool struct {
	mu      sync.Mutex
	ids     []string
	sick    map[string]bool
	numa    []int64
	changed chan struct{}
}

func newPool(ids []string, numa []int64) *pool {
	return &pool{ids: ids, numa: numa, sick: map[string]bool{}, changed: make(chan struct{})}
}

// list returns the devices as they are now, and a channel that closes when they are no longer so.
func (p *pool) list() ([]*pluginapi.Device, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	devices := make([]*pluginapi.Device, 0, len(p.ids))
	for index, id := range p.ids {
		device := &pluginapi.Device{ID: id, Health: pluginapi.Healthy}
		if p.sick[id] {
			device.Health = pluginapi.Unhealthy
		}
		if len(p.numa) > 0 {
			node := &pluginapi.NUMANode{ID: p.numa[index%len(p.numa)]}
			device.Topology = &pluginapi.TopologyInfo{Nodes: []*pluginapi.NUMANode{node}}
		}
		devices = append(devices, device)
	}
	return devices, p.changed
}

func (p *pool) replace(ids []string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if slices.Equal(p.ids, ids) {
		return false
	}
	p.ids = ids
	p.announce()
	return true
}

// setHealth makes the first count devices (all when nil) sick or sound and returns their ids.
func (p *pool) setHealth(count *int, sick bool) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	touched := p.ids
	if count != nil {
		touched = p.ids[:min(max(*count, 0), len(p.ids))]
	}
	for _, id := range touched {
		p.sick[id] = sick
	}
	p.announce()
	return slices.Clone(touched)
}

func (p *pool) announce() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// deviceIDs names the devices that the main resource offers: numbered ones, or the entries of a
// host folder when the plugin discovers its devices there.
func deviceIDs(k *knobs) ([]string, error) {
	if k.discoverDir != "" {
		return discovered(k)
	}
	count := k.inventory
	if k.devices != nil {
		count = *k.devices
	}
	return numberedIDs(k, count-k.fewerDevices), nil
}

func numberedIDs(k *knobs, count int) []string {
	ids := make([]string, 0, max(count, 0))
	for index := range max(count, 0) {
		id := fmt.Sprintf("%s-%d", k.idPrefix, index)
		ids = append(ids, id+strings.Repeat("x", max(k.idLength-len(id), 0)))
	}
	return ids
}

func discovered(k *knobs) ([]string, error) {
	entries, err := os.ReadDir(k.discoverDir)
	if err != nil {
		return nil, err
	}
	ids := make([]string, 0, len(entries))
	for _, entry := range entries {
		ids = append(ids, entry.Name())
	}
	limit := len(ids)
	if k.devices != nil {
		limit = min(limit, *k.devices)
	}
	return ids[:max(limit-k.fewerDevices, 0)], nil
}

// takeAway removes a device from the folder in which devices are discovered, as a virtual function
// leaves the host when it moves into a pod's network namespace.
func takeAway(dir, id string) error {
	return os.Remove(filepath.Join(dir, id))
}
