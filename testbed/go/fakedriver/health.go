package main

import (
	"context"
	"time"
)

// poll is how often files on the host are looked at. Polling instead of inotify: a host
// allows 128 inotify instances by default, and the nodes of the test bed share one host.
const poll = 200 * time.Millisecond

// pause waits, and says whether it was not cut short.
func pause(ctx context.Context, length time.Duration) bool {
	if length <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(length)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// watchHealth turns devices sick and sound again. With unhealthyAfter 0s the first turn happens
// before it returns, so that the very first list already shows it.
func (i *instance) watchHealth(ctx context.Context) {
	if i.knobs.unhealthyAfter == nil {
		return
	}
	if *i.knobs.unhealthyAfter == 0 {
		i.markUnhealthy()
		go i.recover(ctx)
		return
	}
	go func() {
		if pause(ctx, *i.knobs.unhealthyAfter) {
			i.markUnhealthy()
			i.recover(ctx)
		}
	}()
}

func (i *instance) recover(ctx context.Context) {
	if i.knobs.unhealthyFor == nil {
		return // latched: only a restart of the plugin forgets it
	}
	for pause(ctx, *i.knobs.unhealthyFor) {
		for _, id := range i.pool.setHealth(i.knobs.unhealthyDevices, false) {
			i.log.info("'%s' device marked healthy: %s", i.resource, id)
		}
		if !i.knobs.unhealthyRepeats || !pause(ctx, max(*i.knobs.unhealthyAfter, poll)) {
			return
		}
		i.markUnhealthy()
	}
}

func (i *instance) markUnhealthy() {
	for _, id := range i.pool.setHealth(i.knobs.unhealthyDevices, true) {
		i.log.warn("'%s' device marked unhealthy: %s", i.resource, id)
	}
}

// watchFolder follows the host folder of devices when discovery is live.
func (i *instance) watchFolder(ctx context.Context) {
	if i.knobs.discoverDir == "" || i.knobs.discover != "live" {
		return
	}
	go func() {
		for pause(ctx, poll) {
			ids, err := discovered(i.knobs)
			if err == nil && i.pool.replace(ids) {
				i.log.info("device list of '%s' changed: %d devices", i.resource, len(ids))
			}
		}
	}()
}
