package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"
)

const (
	initRetry = time.Second
	mebibyte  = 1 << 20
)

// initialise does what a plugin does before it serves: finds its driver, and asks the API server
// for what it needs. It returns an error where the plugin would exit.
func initialise(ctx context.Context, k *knobs, log *logger, getenv func(string) string) error {
	if k.runAsUser != 0 {
		if err := syscall.Setuid(k.runAsUser); err != nil {
			return err
		}
	}
	if err := findDriver(ctx, k, log); err != nil {
		return err
	}
	if k.apiCall == "none" {
		return nil
	}
	server, err := inCluster(getenv, serviceAccountDir)
	if err != nil {
		return err
	}
	return server.callAtStart(ctx, k.apiCall, k.nodeName)
}

// findDriver fails in one of the three ways known from the field: exit, wait for ever, try again.
func findDriver(ctx context.Context, k *knobs, log *logger) error {
	for k.initFailure != "none" && driverMissing(k) {
		failure := fmt.Errorf("failed to initialise: %s", k.initFailureMessage)
		switch k.initFailure {
		case "exit":
			return failure
		case "block":
			log.error("%s", failure)
			log.warn("no devices found, waiting indefinitely")
			<-ctx.Done()
			return ctx.Err()
		case "retry":
			log.error("%s, retrying", failure)
			if !pause(ctx, initRetry) {
				return ctx.Err()
			}
		}
	}
	return nil
}

// driverMissing is true always, or while a file lies on the host that stands for the fault.
func driverMissing(k *knobs) bool {
	if k.initFailureFile == "" {
		return true
	}
	_, err := os.Stat(k.initFailureFile)
	return !errors.Is(err, os.ErrNotExist)
}

// growMemory takes memory every second until its own limit or the container's is reached. The own
// limit keeps a pod without one from eating the machine.
func growMemory(ctx context.Context, k *knobs) {
	var kept [][]byte
	for k.memoryGrowthMiB > 0 && len(kept)*k.memoryGrowthMiB < k.memoryLimitMiB {
		block := make([]byte, k.memoryGrowthMiB*mebibyte)
		for offset := 0; offset < len(block); offset += 4096 {
			block[offset] = 1 // an untouched page costs nothing
		}
		kept = append(kept, block)
		if !pause(ctx, time.Second) {
			return
		}
	}
	<-ctx.Done()
	runtime.KeepAlive(kept)
}
