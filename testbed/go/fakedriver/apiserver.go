package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

const (
	serviceAccountDir = "/var/run/secrets/kubernetes.io/serviceaccount"
	apiTimeout        = 10 * time.Second
	answerLimit       = 16 << 20
)

// apiServer asks the API server as the pod's service account, the way every in-cluster client does.
type apiServer struct {
	base   string
	token  string
	client *http.Client
}

func inCluster(getenv func(string) string, accountDir string) (*apiServer, error) {
	host, port := getenv("KUBERNETES_SERVICE_HOST"), getenv("KUBERNETES_SERVICE_PORT")
	if host == "" || port == "" {
		return nil, errors.New("unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined")
	}
	token, err := os.ReadFile(accountDir + "/token")
	if err != nil {
		return nil, err
	}
	authority, err := os.ReadFile(accountDir + "/ca.crt")
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(authority) {
		return nil, fmt.Errorf("no certificate in %s/ca.crt", accountDir)
	}
	return &apiServer{
		base:  "https://" + net.JoinHostPort(host, port),
		token: strings.TrimSpace(string(token)),
		client: &http.Client{
			Timeout:   apiTimeout,
			Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}},
		},
	}, nil
}

// get reads one object; the error of a refused request is the server's own message, such as
// `nodes is forbidden: User "..." cannot list resource "nodes" in API group "" at the cluster scope`.
func (a *apiServer) get(ctx context.Context, path string, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, a.base+path, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+a.token)
	response, err := a.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, answerLimit))
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		var status struct{ Message string }
		if json.Unmarshal(body, &status) != nil || status.Message == "" {
			return fmt.Errorf("the server answered %s", response.Status)
		}
		return errors.New(status.Message)
	}
	return json.Unmarshal(body, into)
}

// nodeLabels reads the labels of the plugin's own node.
func (a *apiServer) nodeLabels(ctx context.Context, node string) (map[string]string, error) {
	var answer struct {
		Metadata struct{ Labels map[string]string }
	}
	if err := a.get(ctx, "/api/v1/nodes/"+node, &answer); err != nil {
		return nil, err
	}
	return answer.Metadata.Labels, nil
}

// callAtStart makes the request that a plugin needs before it can work: one permission more than
// its former version had.
func (a *apiServer) callAtStart(ctx context.Context, call, node string) error {
	path, intent := "/api/v1/nodes?limit=1", "list nodes"
	switch call {
	case "listPods":
		path, intent = "/api/v1/pods?limit=1", "list pods"
	case "getNode":
		path, intent = "/api/v1/nodes/"+node, "get node"
	}
	var answer struct{}
	if err := a.get(ctx, path, &answer); err != nil {
		return fmt.Errorf("failed to %s: %w", intent, err)
	}
	return nil
}
