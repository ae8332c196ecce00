package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// plannedInstances lists what the process offers: the resource, further resources, and a second
// instance of the first one where a fault asks for it.
func plannedInstances(life context.Context, k *knobs, log *logger) ([]*instance, error) {
	ids, err := deviceIDs(k)
	if err != nil {
		return nil, err
	}
	name := k.resource + k.resourceSuffix
	instances := []*instance{newInstance(life, k, log, name, "", ids)}
	for _, extra := range k.extraResources {
		name, count, err := parseExtra(k.resource, extra)
		if err != nil {
			return nil, err
		}
		instances = append(instances, newInstance(life, k, log, name, "", numberedIDs(k, count)))
	}
	if k.secondInstance != nil {
		second := newInstance(life, k, log, name, "-2", numberedIDs(k, *k.secondInstance))
		second.delay = k.secondInstanceAfter
		instances = append(instances, second)
	}
	return instances, nil
}

func newInstance(life context.Context, k *knobs, log *logger, name, mark string, ids []string) *instance {
	if len(ids) == 0 {
		log.warn("no devices in device pool for '%s'", name)
	}
	dir := k.socketDir
	if k.serveDir != "" {
		dir = k.serveDir
	}
	return &instance{
		knobs:    k,
		log:      log,
		resource: name,
		socket:   filepath.Join(dir, socketFile(k, name, mark)),
		pool:     newPool(ids, k.numaNodes),
		life:     life,
	}
}

// socketFile names the socket after the resource, as most plugins do; unique names let two pods of
// one DaemonSet serve side by side.
func socketFile(k *knobs, resource, mark string) string {
	name := strings.ReplaceAll(resource, "/", "_") + mark
	if k.socketName == "unique" {
		name += fmt.Sprintf("-%d", time.Now().UnixNano())
	}
	return name + ".sock"
}

// parseExtra reads "vendor.com/name=3", or "-part=3" for a name that continues the main one.
func parseExtra(resource, extra string) (string, int, error) {
	name, number, found := strings.Cut(extra, "=")
	count, err := strconv.Atoi(number)
	if !found || err != nil {
		return "", 0, fmt.Errorf("invalid extra resource %q: must be name=count", extra)
	}
	if strings.HasPrefix(name, "-") {
		name = resource + name
	}
	return name, count, nil
}
