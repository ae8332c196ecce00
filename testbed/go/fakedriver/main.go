// Command fakedriver is a device plugin without a device.
//
// The test bed needs plugins that fail in every way in which real ones have failed in public.
// What this one does wrong is decided by environment variables only (knobs.go), so that an image
// tag whose environment holds a few of them is "a version" of the plugin. The same binary is the
// workload that holds devices, so that one layer serves both.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	mode := "plugin"
	if len(os.Args) > 1 {
		mode = os.Args[1]
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	switch mode {
	case "plugin":
		os.Exit(runPlugin(ctx, os.Getenv, os.Stdout))
	case "hold":
		hold(ctx, os.Stdout, os.Getenv("FAKE_DEVICES"))
	default:
		fmt.Fprintf(os.Stderr, "unknown mode %q: use plugin or hold\n", mode)
		os.Exit(2)
	}
}
