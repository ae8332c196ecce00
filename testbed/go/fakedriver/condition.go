package main

import (
	"context"
	"fmt"
	"os"
	"strings"
)

// faultsApply says whether this node is one of those on which the version is bad. Both conditions,
// where given, have to hold. A label that cannot be read is an error and never "no": a test must
// not pass because the fault that it tests was silently left out.
func faultsApply(ctx context.Context, k *knobs, labels func(context.Context) (map[string]string, error)) (bool, error) {
	if k.onlyIfFile != "" {
		if _, err := os.Stat(k.onlyIfFile); os.IsNotExist(err) {
			return false, nil
		} else if err != nil {
			return false, err
		}
	}
	if k.onlyIfLabel == "" {
		return true, nil
	}
	key, want, found := strings.Cut(k.onlyIfLabel, "=")
	if !found {
		return false, fmt.Errorf("invalid label condition %q: must be key=value", k.onlyIfLabel)
	}
	present, err := labels(ctx)
	if err != nil {
		return false, fmt.Errorf("failed to read labels of node %q: %w", k.nodeName, err)
	}
	value, has := present[key]
	return has && value == want, nil
}
