package main

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"miramundo.dev/shared/config"
)

// TestCertificateHosts checks for which hosts certificates are asked: nobody else's name
// must use up the limits of the ACME server.
func TestCertificateHosts(t *testing.T) {
	manager, err := certificates(public)
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]bool{
		"tv.example.org": true, "hop.tv.example.org": true, "plain.tv.example.org": false, "other.example.org": false, "": false,
	} {
		if got := manager.HostPolicy(t.Context(), host) == nil; got != want {
			t.Errorf("a certificate for %q: %t, want %t", host, got, want)
		}
	}
}

// TestACMERoots talks to a server whose root is in a file alone.
func TestACMERoots(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte(`{"newNonce":"https://ca.example/nonce","newAccount":"https://ca.example/account","newOrder":"https://ca.example/order"}`))
	}))
	defer server.Close()
	dir := t.TempDir()
	file := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	root := file("root.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	client, err := acmeClient(config.Config{ACMEDirectory: server.URL, ACMERoots: root})
	if err != nil {
		t.Fatal(err)
	}
	if found, err := client.Discover(t.Context()); err != nil || found.OrderURL != "https://ca.example/order" {
		t.Errorf("the directory is %+v, %v", found, err)
	}
	for path, want := range map[string]string{filepath.Join(dir, "none"): "ACME_ROOTS: open", file("empty", nil): "has no certificate"} {
		if _, err := acmeClient(config.Config{ACMERoots: path}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s is refused with %v, want %q", path, err, want)
		}
	}
}
