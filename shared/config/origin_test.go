package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOrigins(t *testing.T) {
	for _, test := range []struct {
		base string
		want []string
	}{
		{"https://tv.example.com", []string{"https://tv.example.com"}},
		{"https://TV.example.com:443/app", []string{"https://tv.example.com"}},
		{"https://tv.example.com:8443", []string{"https://tv.example.com:8443"}},
		{"http://tv.example.com:80", []string{"http://tv.example.com"}},
		{"http://localhost:8787", []string{"http://localhost:8787"}},
		{"http://127.0.0.1:8787", []string{"http://127.0.0.1:8787", "http://localhost:8787"}},
		{"http://127.0.0.1", []string{"http://127.0.0.1", "http://localhost"}},
		{"http://[::1]:8787", []string{"http://[::1]:8787", "http://localhost:8787"}},
		{"http://[::1]", []string{"http://[::1]", "http://localhost"}},
		{"http://192.168.1.5:8787", []string{"http://192.168.1.5:8787"}},
	} {
		if diff := cmp.Diff(test.want, Config{BaseURL: test.base}.Origins()); diff != "" {
			t.Errorf("Origins of %s (-want +got):\n%s", test.base, diff)
		}
	}
}
