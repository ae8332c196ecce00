package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"

	"google.golang.org/grpc"
	pluginapi "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
)

// server is one life of an instance's socket: from its creation to the kubelet's restart, or to
// the end of the process.
type server struct {
	grpc     *grpc.Server
	listener *net.UnixListener
	failed   chan error
}

func (i *instance) serve() (*server, error) {
	if i.knobs.socketAtStart == "remove" {
		if err := os.Remove(i.socket); err != nil && !os.IsNotExist(err) {
			return nil, err
		}
	}
	if i.knobs.serveDir != "" {
		if err := os.MkdirAll(filepath.Dir(i.socket), 0o750); err != nil {
			return nil, err
		}
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: i.socket, Net: "unix"})
	if err != nil {
		return nil, err
	}
	served := &server{grpc: grpc.NewServer(), listener: listener, failed: make(chan error, 1)}
	pluginapi.RegisterDevicePluginServer(served.grpc, i)
	go func() {
		if err := served.grpc.Serve(listener); err != nil {
			served.failed <- fmt.Errorf("server of '%s' stopped: %w", i.resource, err)
		}
	}()
	i.log.info("serving '%s' on %s", i.resource, i.socket)
	return served, nil
}

// stop ends the server at once, and with it every call that hangs. Closing a listener removes its
// socket unless it is to be left behind.
func (s *server) stop(leaveSocket bool) {
	s.listener.SetUnlinkOnClose(!leaveSocket)
	s.grpc.Stop()
}
