package main

import (
	"context"
	"io"
	"time"
)

const (
	exitFailure    = 1
	exitBadSetting = 2
)

// runPlugin is the whole life of the plugin process; it returns the exit code.
func runPlugin(ctx context.Context, getenv func(string) string, out io.Writer) int {
	k, err := readKnobs(getenv, true)
	if err != nil {
		newLogger(out, "klog").error("%s", err)
		return exitBadSetting
	}
	log := newLogger(out, k.logFormat)
	log.info("starting device plugin, version %s", k.version)
	apply, err := faultsApply(ctx, &k, func(ctx context.Context) (map[string]string, error) {
		server, err := inCluster(getenv, serviceAccountDir)
		if err != nil {
			return nil, err
		}
		return server.nodeLabels(ctx, k.nodeName)
	})
	if err != nil {
		log.error("%s", err)
		return exitFailure
	}
	if !apply {
		if k, err = readKnobs(getenv, false); err != nil {
			log.error("%s", err)
			return exitBadSetting
		}
	}
	printExtraLines(ctx, &k, log)
	if err := initialise(ctx, &k, log, getenv); err != nil {
		if ctx.Err() != nil {
			return 0
		}
		log.error("%s", err)
		return k.initExitCode
	}
	return offerAll(ctx, &k, log)
}

// offerAll runs every instance beside the process-wide faults until a signal, a crash or an error.
func offerAll(ctx context.Context, k *knobs, log *logger) int {
	life, end := context.WithCancel(context.Background())
	defer end()
	instances, err := plannedInstances(life, k, log)
	if err != nil {
		log.error("failed to discover devices: %s", err)
		return exitFailure
	}
	ended := make(chan error, len(instances))
	for _, each := range instances {
		go func() { ended <- each.run(life) }()
	}
	go growMemory(life, k)
	var crash <-chan time.Time
	if k.crashAfter != nil {
		crash = time.After(*k.crashAfter)
	}
	select {
	case err := <-ended:
		log.error("%s", err)
		return exitFailure
	case <-crash:
		log.error("%s", k.crashMessage)
		return k.crashExitCode
	case <-ctx.Done():
	}
	log.info("received signal, shutting down")
	time.Sleep(k.stopDelay)
	end()
	for range instances {
		<-ended
	}
	return 0
}

// printExtraLines prints lines that a real plugin would, before anything can fail or later on.
func printExtraLines(ctx context.Context, k *knobs, log *logger) {
	printAll := func() {
		for _, line := range k.logLines {
			log.verbatim(line)
		}
	}
	if k.logLinesAfter == 0 {
		printAll()
		return
	}
	go func() {
		if pause(ctx, k.logLinesAfter) {
			printAll()
		}
	}()
}
