package main

import (
	"strings"
	"testing"
)

func TestLogShapes(t *testing.T) {
	for format, want := range map[string][]string{
		"klog":   {"E", "logging_test.go:", "] no device\n"},
		"json":   {`"level":"error"`, `"msg":"no device"`},
		"logrus": {`level=error msg="no device"`},
		"plain":  {" no device\n"},
	} {
		var out strings.Builder
		newLogger(&out, format).error("no %s", "device")
		for _, part := range want {
			if !strings.Contains(out.String(), part) {
				t.Errorf("%s: %q lacks %q", format, out.String(), part)
			}
		}
	}
}
