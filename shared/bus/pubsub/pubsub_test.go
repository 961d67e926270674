package pubsub_test

import (
	"crypto/rand"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/bus/bustest"
	"miramundo.dev/shared/bus/pubsub"
)

// emulator returns the address of the emulator, and ends the test without one.
func emulator(t testing.TB) string {
	t.Helper()
	host := os.Getenv("PUBSUB_EMULATOR_HOST")
	if host == "" && os.Getenv("CI") != "" && os.Getenv("MIRAMUNDO_EMULATORS") == "required" {
		t.Fatal("no Pub/Sub emulator, and CI requires it")
	}
	if host == "" {
		t.Skip("no Pub/Sub emulator")
	}
	return host
}

// quick is the policy of the tests.
var quick = bus.Retry{MinBackoff: time.Second, MaxBackoff: time.Minute, Attempts: bustest.Attempts, Keep: bus.Patient.Keep}

// open returns the bus of a project of its own.
func open(t testing.TB, topology bus.Topology) bus.Bus {
	t.Helper()
	return openProject(t, "test-"+strings.ToLower(rand.Text()), topology)
}

func openProject(t testing.TB, project string, topology bus.Topology) bus.Bus {
	t.Helper()
	return openPush(t, project, topology, "")
}

// openPush returns the bus of a project, whose events are pushed to an address unless it
// is empty.
func openPush(t testing.TB, project string, topology bus.Topology, push string) bus.Bus {
	t.Helper()
	b, err := pubsub.Open(t.Context(), pubsub.Config{
		Project: project, Topology: topology, Emulator: emulator(t), Make: true, Retry: quick, Push: push, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	})
	return b
}

func TestConformance(t *testing.T) {
	emulator(t)
	bustest.Run(t, func(t *testing.T, top bus.Topology) bus.Bus { return open(t, top) })
}

// TestReopen opens the same topology twice: the second finds it, and what was
// published before.
func TestReopen(t *testing.T) {
	project, topology := "test-"+strings.ToLower(rand.Text()), bus.Topology{"plays": {"count"}}
	first := openProject(t, project, topology)
	if err := first.Publish(t.Context(), "plays", bus.Event{Data: []byte("x")}); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Errorf("Close = %v", err)
	}
	second := openProject(t, project, topology)
	if dead, err := second.DeadLetters(t.Context(), "count", 1); err != nil || len(dead) != 0 {
		t.Errorf("DeadLetters = %v, %v, want none", dead, err)
	}
}

// TestPushAgain opens a topology that pushes for a second time, at another address: events go
// there, also after a bus that does not push was opened.
func TestPushAgain(t *testing.T) {
	emulator(t)
	project, topology := "test-"+strings.ToLower(rand.Text()), bus.Topology{"plays": {"count"}}
	got := make(chan string, 8)
	receiver := func(name string) string {
		s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { got <- name }))
		t.Cleanup(s.Close)
		return s.URL
	}
	openPush(t, project, topology, receiver("first"))
	openPush(t, project, topology, receiver("second"))
	b := openProject(t, project, topology)
	if err := b.Publish(t.Context(), "plays", bus.Event{Data: []byte("x")}); err != nil {
		t.Fatal(err)
	}
	select {
	case name := <-got:
		if name != "second" {
			t.Errorf("the event is pushed to the %s address", name)
		}
	case <-time.After(30 * time.Second):
		t.Error("the event is not pushed")
	}
}
