package wire

import (
	"errors"
	"testing"
)

// TestNoDriver checks that a program without the cloud's clients says so.
func TestNoDriver(t *testing.T) {
	saved := driver
	defer Register(saved)
	Register(nil)
	for _, backend := range []Backend{Emulators, Cloud} {
		c := Config{Backend: backend, Project: "demo-x", FirestoreHost: "127.0.0.1:1", PubSubHost: "127.0.0.1:1"}
		if _, _, err := Open(t.Context(), c); !errors.Is(err, errNoDriver) {
			t.Errorf("%s: Open = %v", backend, err)
		}
		if _, err := OpenDocuments(t.Context(), c); !errors.Is(err, errNoDriver) {
			t.Errorf("%s: OpenDocuments = %v", backend, err)
		}
	}
}
