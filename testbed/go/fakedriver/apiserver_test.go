package main

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// serverFor starts an API server that answers with one status and body, and dials it in-cluster.
func serverFor(t *testing.T, code int, body string) *apiServer {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret" {
			code = http.StatusUnauthorized
		}
		w.WriteHeader(code)
		fmt.Fprint(w, body)
	}))
	t.Cleanup(server.Close)
	account := t.TempDir()
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	for name, content := range map[string][]byte{"token": []byte("secret\n"), "ca.crt": authority} {
		if err := os.WriteFile(filepath.Join(account, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	address, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	environment := map[string]string{"KUBERNETES_SERVICE_HOST": address.Hostname(), "KUBERNETES_SERVICE_PORT": address.Port()}
	client, err := inCluster(func(name string) string { return environment[name] }, account)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func TestRefusedCallRepeatsTheServersWords(t *testing.T) {
	server := serverFor(t, http.StatusForbidden, `{"kind":"Status","message":"nodes is forbidden: User \"x\" cannot list"}`)
	err := server.callAtStart(t.Context(), "listNodes", "n1")
	if err == nil || err.Error() != `failed to list nodes: nodes is forbidden: User "x" cannot list` {
		t.Errorf("got %v", err)
	}
}

func TestGrantedCallPasses(t *testing.T) {
	if err := serverFor(t, http.StatusOK, `{"items":[]}`).callAtStart(t.Context(), "listPods", ""); err != nil {
		t.Error(err)
	}
}

func TestFaultsApplyByNodeLabel(t *testing.T) {
	server := serverFor(t, http.StatusOK, `{"metadata":{"labels":{"kernel":"6.1"}}}`)
	read := func(ctx context.Context) (map[string]string, error) { return server.nodeLabels(ctx, "n1") }
	for condition, want := range map[string]bool{"kernel=6.1": true, "kernel=6.2": false, "zone=": false} {
		got, err := faultsApply(t.Context(), &knobs{onlyIfLabel: condition}, read)
		if err != nil || got != want {
			t.Errorf("%s: %v, %v", condition, got, err)
		}
	}
}

func TestLabelThatCannotBeReadIsAnError(t *testing.T) {
	refuse := func(context.Context) (map[string]string, error) { return nil, errors.New("nodes is forbidden") }
	_, err := faultsApply(t.Context(), &knobs{onlyIfLabel: "a=b", nodeName: "n1"}, refuse)
	if err == nil || !strings.Contains(err.Error(), `labels of node "n1": nodes is forbidden`) {
		t.Errorf("got %v", err)
	}
}
