package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"miramundo.dev/miramundo/machine"
	"miramundo.dev/shared/config"
)

// named returns a handler that answers its name.
func named(name string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, name) })
}

// fronts returns fronts of parts that answer their names.
func fronts() *machine.Fronts {
	f := new(machine.Fronts)
	f.Gateway.Set(named("gateway"))
	f.Hop.Set(named("hop"))
	f.Legacy.Set(named("legacy"))
	return f
}

var public = config.Config{BaseURL: "https://tv.example.org", HopURL: "https://hop.tv.example.org", LegacyURL: "http://plain.tv.example.org", DataDir: "unused"}

// TestRouter checks to which part a request goes by its host.
func TestRouter(t *testing.T) {
	local := config.Config{BaseURL: "http://127.0.0.1:8787", HopURL: "http://127.0.0.1:8788", LegacyURL: "http://127.0.0.1:8789"}
	v6 := config.Config{BaseURL: "http://[fd00::1]:8787", HopURL: "http://[fd00::1]:8788", LegacyURL: "http://[fd00::1]"}
	for _, test := range []struct {
		config     config.Config
		host, path string
		want       string
		status     int
	}{
		{public, "tv.example.org", "/", "gateway", 200},
		{public, "TV.Example.org", "/", "gateway", 200},
		{public, "tv.example.org.", "/", "gateway", 200},
		{public, "tv.example.org:443", "/", "gateway", 200},
		{public, "tv.example.org:8787", "/", "", 421},
		{public, "hop.tv.example.org", "/api/s/x", "hop", 200},
		{public, "plain.tv.example.org", "/", "legacy", 200},
		{public, "plain.tv.example.org:80", "/", "legacy", 200},
		{public, "plain.tv.example.org:443", "/", "", 421},
		{public, "other.example.org", "/", "", 421},
		{public, "tv.example.org.evil.example", "/", "", 421},
		{public, "localhost", "/", "", 421},
		{public, "localhost:8787", "/api/health", "gateway", 200},
		{public, "127.0.0.1:8787", "/api/health", "gateway", 200},
		{public, "[::1]:8787", "/api/health", "gateway", 200},
		{public, "10.0.0.1:8787", "/api/health", "", 421},
		{public, "", "/", "", 421},
		{local, "127.0.0.1:8787", "/", "gateway", 200},
		{local, "127.0.0.1:8788", "/", "hop", 200},
		{local, "127.0.0.1:8789", "/", "legacy", 200},
		{local, "127.0.0.1", "/", "", 421},
		{local, "localhost", "/api/health", "gateway", 200},
		{v6, "[fd00::1]:8787", "/", "gateway", 200},
		{v6, "[fd00::1]", "/", "legacy", 200},
		{v6, "[fd00::1]:80", "/", "legacy", 200},
	} {
		r := httptest.NewRequest("GET", test.path, nil)
		r.Host = test.host
		w := httptest.NewRecorder()
		newRouter(test.config, fronts()).ServeHTTP(w, r)
		if got := w.Body.String(); w.Code != test.status || test.status == 200 && got != test.want {
			t.Errorf("%s: %q %s is answered %d by %q, want %d by %q", test.config.BaseURL, test.host, test.path, w.Code, got, test.status, test.want)
		}
	}
}

// TestRoutersOfTLS checks what is answered over HTTPS, and what over HTTP beside it.
func TestRoutersOfTLS(t *testing.T) {
	for _, test := range []struct {
		secure         bool
		method, target string
		status         int
		want           string // the body, or where a redirect leads to
	}{
		{true, "GET", "https://tv.example.org/brasil?x=1", 200, "gateway"},
		{true, "GET", "https://hop.tv.example.org/", 200, "hop"},
		{true, "GET", "https://plain.tv.example.org/", 421, ""},
		{false, "GET", "http://tv.example.org/brasil?x=1", 301, "https://tv.example.org/brasil?x=1"},
		{false, "GET", "http://tv.example.org//evil.example/", 301, "https://tv.example.org//evil.example/"},
		{false, "HEAD", "http://hop.tv.example.org/api/s/x", 301, "https://hop.tv.example.org/api/s/x"},
		{false, "POST", "http://tv.example.org/api/guest", 403, ""},
		{false, "GET", "http://plain.tv.example.org/", 200, "legacy"},
		{false, "GET", "http://other.example.org/", 421, ""},
		{false, "GET", "http://localhost/api/health", 200, "gateway"},
	} {
		h := plainRouter(public, fronts())
		if test.secure {
			h = secureRouter(public, fronts())
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(test.method, test.target, nil))
		got := w.Body.String()
		if w.Code == http.StatusMovedPermanently {
			got = w.Header().Get("Location")
		}
		if w.Code != test.status || test.want != "" && got != test.want {
			t.Errorf("%s %s is answered %d %q, want %d %q", test.method, test.target, w.Code, got, test.status, test.want)
		}
	}
}
