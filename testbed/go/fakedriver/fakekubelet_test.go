package main

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	pluginapi "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
)

const patience = 5 * time.Second

// fakeKubelet is the kubelet's half of the API: a registration server that dials back.
type fakeKubelet struct {
	pluginapi.UnimplementedRegistrationServer
	dir    string
	mu     sync.Mutex
	calls  []*pluginapi.RegisterRequest
	server *grpc.Server
}

func startKubelet(t *testing.T, dir string) *fakeKubelet {
	t.Helper()
	kubelet := &fakeKubelet{dir: dir, server: grpc.NewServer()}
	listener, err := net.Listen("unix", filepath.Join(dir, "kubelet.sock"))
	if err != nil {
		t.Fatal(err)
	}
	pluginapi.RegisterRegistrationServer(kubelet.server, kubelet)
	go kubelet.server.Serve(listener)
	t.Cleanup(kubelet.server.Stop)
	return kubelet
}

func (f *fakeKubelet) Register(_ context.Context, request *pluginapi.RegisterRequest) (*pluginapi.Empty, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, request)
	if request.Version != pluginapi.Version {
		return nil, errors.New("requested API version " + strings.ToUpper(request.Version) + " is not supported")
	}
	return &pluginapi.Empty{}, nil
}

func (f *fakeKubelet) registrations() []*pluginapi.RegisterRequest {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]*pluginapi.RegisterRequest(nil), f.calls...)
}

// dial waits for the first registration and dials back to its endpoint.
func (f *fakeKubelet) dial(t *testing.T) pluginapi.DevicePluginClient {
	t.Helper()
	waitFor(t, "a registration", func() bool { return len(f.registrations()) > 0 })
	path := filepath.Join(f.dir, f.registrations()[0].Endpoint)
	connection, err := grpc.NewClient("unix://"+path, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	return pluginapi.NewDevicePluginClient(connection)
}

// watch opens ListAndWatch.
func watch(t *testing.T, client pluginapi.DevicePluginClient) pluginapi.DevicePlugin_ListAndWatchClient {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	stream, err := client.ListAndWatch(ctx, &pluginapi.Empty{})
	if err != nil {
		t.Fatal(err)
	}
	return stream
}

// next gives the health of each device in the next list, such as "Healthy Unhealthy".
func next(t *testing.T, stream pluginapi.DevicePlugin_ListAndWatchClient) string {
	t.Helper()
	answer, err := stream.Recv()
	if err != nil {
		t.Fatal(err)
	}
	var health []string
	for _, device := range answer.GetDevices() {
		health = append(health, device.GetHealth())
	}
	return strings.Join(health, " ")
}

func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatalf("waited in vain for %s", what)
}

// process is one run of the plugin with its own environment.
type process struct {
	mu   sync.Mutex
	text strings.Builder
	stop context.CancelFunc
	code chan int
}

func (p *process) Write(line []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(line)
}

func (p *process) log() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

func (p *process) exit(t *testing.T) int {
	t.Helper()
	select {
	case code := <-p.code:
		p.code <- code
		return code
	case <-time.After(patience):
		t.Fatalf("the plugin did not end:\n%s", p.log())
		return -1
	}
}

func (p *process) expectLog(t *testing.T, part string) {
	t.Helper()
	waitFor(t, "the log line "+part, func() bool { return strings.Contains(p.log(), part) })
}

func startPlugin(t *testing.T, dir string, environment map[string]string) *process {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	started := &process{stop: stop, code: make(chan int, 2)}
	getenv := func(name string) string {
		if name == "FAKE_SOCKET_DIR" && environment[name] == "" {
			return dir
		}
		return environment[name]
	}
	go func() { started.code <- runPlugin(ctx, getenv, started) }()
	t.Cleanup(func() {
		stop()
		started.exit(t)
	})
	return started
}
