package main

import (
	"context"
	"fmt"
	"io"
)

// hold is the workload that keeps devices: it prints which ones it was given, as the plugin's
// Allocate wrote them into the container's environment, and then waits for its end.
func hold(ctx context.Context, out io.Writer, devices string) {
	fmt.Fprintf(out, "FAKE_DEVICES=%s\n", devices)
	<-ctx.Done()
}
