package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	pluginapi "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
)

const (
	registerTimeout = 20 * time.Second // the kubelet dials back for 10 s before it answers why
	registerRetry   = time.Second
)

var errKubeletRestarted = errors.New("kubelet restarted, exiting")

// run serves the resource and keeps it registered until the context ends. Every attempt makes its
// own socket: a kubelet that starts deletes all sockets of its folder, and only then opens its own.
func (i *instance) run(ctx context.Context) error {
	if !pause(ctx, i.delay) {
		return nil
	}
	for {
		served, err := i.serve()
		if err != nil {
			return fmt.Errorf("failed to serve '%s': %w", i.resource, err)
		}
		before := identify(i.knobs.kubeletSocket())
		again, err := i.offer(ctx, served, before)
		served.stop(ctx.Err() != nil && i.knobs.socketAtExit == "keep")
		if err != nil || !again {
			return err
		}
	}
}

// offer registers and then waits; it returns true when all has to be done once more.
func (i *instance) offer(ctx context.Context, served *server, before socketIdentity) (bool, error) {
	switch i.knobs.registers {
	case "never":
		<-ctx.Done()
		return false, nil
	case "late":
		if !pause(ctx, i.knobs.registerDelay) {
			return false, nil
		}
	}
	if err := i.register(ctx); err != nil {
		if ctx.Err() != nil {
			return false, nil
		}
		i.log.error("could not register device plugin for '%s': %s", i.resource, err)
		return pause(ctx, registerRetry), nil
	}
	i.log.info("registered device plugin for '%s' with kubelet", i.resource)
	return i.awaitKubeletRestart(ctx, served, before)
}

func (i *instance) register(ctx context.Context) error {
	connection, err := grpc.NewClient("unix://"+i.knobs.kubeletSocket(),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer connection.Close()
	ctx, cancel := context.WithTimeout(ctx, registerTimeout)
	defer cancel()
	_, err = pluginapi.NewRegistrationClient(connection).Register(ctx, &pluginapi.RegisterRequest{
		Version:      i.knobs.apiVersion,
		Endpoint:     filepath.Base(i.socket),
		ResourceName: i.resource,
		Options:      i.options(),
	})
	return err
}

func (i *instance) awaitKubeletRestart(ctx context.Context, served *server, before socketIdentity) (bool, error) {
	ticker := time.NewTicker(poll)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return false, nil
		case err := <-served.failed:
			return false, err
		case <-ticker.C:
		}
		now := identify(i.knobs.kubeletSocket())
		if now == before || now == (socketIdentity{}) || i.knobs.onKubeletRestart == "ignore" {
			continue
		}
		if i.knobs.onKubeletRestart == "exit" {
			return false, errKubeletRestarted
		}
		i.log.info("kubelet.sock created, restarting device plugin for '%s'", i.resource)
		return true, nil
	}
}

// socketIdentity tells one kubelet's socket from the next one's of the same name. The time is part
// of it because a file system gives a free inode number out again.
type socketIdentity struct {
	inode    uint64
	modified int64
}

func identify(path string) socketIdentity {
	info, err := os.Stat(path)
	if err != nil {
		return socketIdentity{}
	}
	stat := info.Sys().(*syscall.Stat_t)
	return socketIdentity{inode: stat.Ino, modified: info.ModTime().UnixNano()}
}
