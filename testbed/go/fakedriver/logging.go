package main

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"sync"
	"time"
)

// logger writes lines in the shape of one of the libraries that real plugins log with, since a
// reader of logs has to find the message in all of them.
type logger struct {
	mu     sync.Mutex
	out    io.Writer
	format string
}

func newLogger(out io.Writer, format string) *logger {
	return &logger{out: out, format: format}
}

func (l *logger) info(message string, args ...any) { l.write("info", message, args) }

func (l *logger) warn(message string, args ...any) { l.write("warning", message, args) }

func (l *logger) error(message string, args ...any) { l.write("error", message, args) }

func (l *logger) write(level, message string, args []any) {
	line := shape(l.format, level, fmt.Sprintf(message, args...), time.Now().UTC())
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintln(l.out, line)
}

// verbatim writes a line that already has its shape.
func (l *logger) verbatim(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintln(l.out, line)
}

func shape(format, level, message string, now time.Time) string {
	switch format {
	case "json":
		encoded, _ := json.Marshal(map[string]string{
			"level": level, "msg": message, "ts": now.Format(time.RFC3339Nano),
		})
		return string(encoded)
	case "logrus":
		return fmt.Sprintf("time=%q level=%s msg=%q", now.Format(time.RFC3339), level, message)
	case "klog":
		letter := map[string]string{"info": "I", "warning": "W", "error": "E"}[level]
		return fmt.Sprintf("%s%s       1 %s] %s", letter, now.Format("0102 15:04:05.000000"), caller(), message)
	default:
		return now.Format("2006/01/02 15:04:05 ") + message
	}
}

// caller is the place in the source that asked for the line: three frames above (shape, write, info).
func caller() string {
	_, file, line, _ := runtime.Caller(4)
	return fmt.Sprintf("%s:%d", filepath.Base(file), line)
}
