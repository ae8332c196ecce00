package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	pluginapi "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
)

// instance offers one resource to the kubelet. It implements the plugin's side of the device
// plugin API v1beta1.
type instance struct {
	pluginapi.UnimplementedDevicePluginServer
	knobs    *knobs
	log      *logger
	resource string
	socket   string
	delay    time.Duration
	pool     *pool
	watching sync.Once
	life     context.Context
}

// GetDevicePluginOptions is the kubelet's first question after it has dialled back.
func (i *instance) GetDevicePluginOptions(context.Context, *pluginapi.Empty) (*pluginapi.DevicePluginOptions, error) {
	if i.knobs.optionsError != "" {
		i.log.error("failed to answer options of '%s': %s", i.resource, i.knobs.optionsError)
		return nil, errors.New(i.knobs.optionsError)
	}
	return i.options(), nil
}

func (i *instance) options() *pluginapi.DevicePluginOptions {
	return &pluginapi.DevicePluginOptions{
		PreStartRequired:                i.knobs.preStartError != "",
		GetPreferredAllocationAvailable: i.knobs.preferredAllocation || i.knobs.preferredError != "",
	}
}

// ListAndWatch sends the list of devices at once and after every change. The kubelet never asks a
// second time: a stream that ended stays ended until the plugin registers again.
func (i *instance) ListAndWatch(_ *pluginapi.Empty, stream pluginapi.DevicePlugin_ListAndWatchServer) error {
	i.watching.Do(func() {
		i.watchHealth(i.life)
		i.watchFolder(i.life)
	})
	var end <-chan time.Time
	if after := i.knobs.endStreamAfter; after != nil {
		if *after == 0 {
			i.log.info("device stream of '%s' closed", i.resource)
			return nil
		}
		end = time.After(*after)
	}
	for {
		devices, changed := i.pool.list()
		if err := stream.Send(&pluginapi.ListAndWatchResponse{Devices: devices}); err != nil {
			i.log.error("failed to send devices of '%s': %s", i.resource, err)
			return err
		}
		select {
		case <-changed:
		case <-stream.Context().Done():
			return nil
		case <-end:
			i.log.info("device stream of '%s' closed", i.resource)
			return nil
		}
	}
}

// Allocate puts the granted ids into the container's environment. The kubelet calls it while it
// admits a pod and without a time limit, so a hang here holds up every new pod of the node.
func (i *instance) Allocate(ctx context.Context, request *pluginapi.AllocateRequest) (*pluginapi.AllocateResponse, error) {
	if i.knobs.allocateHang {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if !pause(ctx, i.knobs.allocateDelay) {
		return nil, ctx.Err()
	}
	if i.knobs.allocateError != "" {
		i.log.error("failed to allocate devices of '%s': %s", i.resource, i.knobs.allocateError)
		return nil, errors.New(i.knobs.allocateError)
	}
	response := &pluginapi.AllocateResponse{}
	for _, container := range request.GetContainerRequests() {
		answer, err := i.grant(container.GetDevicesIds())
		if err != nil {
			return nil, err
		}
		response.ContainerResponses = append(response.ContainerResponses, answer)
	}
	return response, nil
}

func (i *instance) grant(ids []string) (*pluginapi.ContainerAllocateResponse, error) {
	answer := &pluginapi.ContainerAllocateResponse{
		Envs: map[string]string{"FAKE_DEVICES": strings.Join(ids, ",")},
	}
	for _, id := range ids {
		if i.knobs.cdiKind != "" {
			answer.CdiDevices = append(answer.CdiDevices, &pluginapi.CDIDevice{Name: i.knobs.cdiKind + "=" + id})
		}
		if i.knobs.allocateTakesDevice && i.knobs.discoverDir != "" {
			if err := takeAway(i.knobs.discoverDir, id); err != nil {
				i.log.error("failed to allocate devices of '%s': %s", i.resource, err)
				return nil, err
			}
		}
	}
	i.log.info("allocated devices of '%s': %s", i.resource, strings.Join(ids, ","))
	return answer, nil
}

// GetPreferredAllocation takes the first ids on offer.
func (i *instance) GetPreferredAllocation(_ context.Context, request *pluginapi.PreferredAllocationRequest) (*pluginapi.PreferredAllocationResponse, error) {
	if i.knobs.preferredError != "" {
		i.log.error("failed to choose devices of '%s': %s", i.resource, i.knobs.preferredError)
		return nil, errors.New(i.knobs.preferredError)
	}
	response := &pluginapi.PreferredAllocationResponse{}
	for _, container := range request.GetContainerRequests() {
		ids := container.GetAvailableDeviceIDs()
		size := int(container.GetAllocationSize())
		if size > len(ids) {
			return nil, fmt.Errorf("%d devices asked for, %d available", size, len(ids))
		}
		response.ContainerResponses = append(response.ContainerResponses,
			&pluginapi.ContainerPreferredAllocationResponse{DeviceIDs: ids[:size]})
	}
	return response, nil
}

// PreStartContainer is called only when the options ask for it, which they do to make it fail.
func (i *instance) PreStartContainer(context.Context, *pluginapi.PreStartContainerRequest) (*pluginapi.PreStartContainerResponse, error) {
	i.log.error("failed to prepare devices of '%s': %s", i.resource, i.knobs.preStartError)
	return nil, errors.New(i.knobs.preStartError)
}
