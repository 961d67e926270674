package probetest

import (
	"context"
	"io"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/probe"
	"miramundo.dev/shared/probe/probetest/clip"
)

// started returns a fleet of one origin of a kind.
func started(t *testing.T, name string) *Fleet {
	t.Helper()
	i := slices.IndexFunc(plan, func(k *kind) bool { return k.name == name })
	c, err := clip.Cut()
	if err != nil {
		t.Fatal(err)
	}
	f := &Fleet{clips: c, grace: grace}
	t.Cleanup(f.Close)
	if err := f.launch(0, plan[i]); err != nil {
		t.Fatal(err)
	}
	return f
}

// get asks for an address and returns the open answer.
func get(t *testing.T, c *http.Client, address string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// client returns a client whose connections end with the test.
func client(t *testing.T) *http.Client {
	c := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// TestMost has two answers open at once, of which the host sees both.
func TestMost(t *testing.T) {
	f, c := started(t, "transport"), client(t)
	f.grace = time.Millisecond // none of them hangs up
	one := get(t, c, f.Cases[0].Target.URL)
	two := get(t, c, f.Cases[0].Target.URL)
	if n, host := f.Most(); n != 2 || host != f.Cases[0].Host {
		t.Errorf("%d at once at %s", n, host)
	}
	one.Body.Close()
	two.Body.Close()
	if n := f.RequestsTo(f.Cases[0].Host); n != 2 || f.Requests() != 2 {
		t.Errorf("%d requests", n)
	}
	f.Reset()
	if n, _ := f.Most(); n != 0 || f.Requests() != 0 {
		t.Errorf("%d at once after it was forgotten", n)
	}
}

// TestMostHungUp asks again as soon as it has hung up, which a host does not
// know at once.
func TestMostHungUp(t *testing.T) {
	for _, name := range []string{"transport", "live", "packed bomb", "MP3"} {
		f, c := started(t, name), client(t)
		for range 20 {
			res := get(t, c, f.Cases[0].Target.URL)
			if _, err := io.CopyN(io.Discard, res.Body, 100); err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
		}
		if n, _ := f.Most(); n != 1 {
			t.Errorf("%s: %d at once", name, n)
		}
	}
}

// TestPlan checks that the kinds come to a hundred parts, that they are the
// same each time, and that some of them are found in all ways.
func TestPlan(t *testing.T) {
	if len(plan) != 100 {
		t.Errorf("%d parts", len(plan))
	}
	if again := mixed(kinds); !slices.Equal(names(plan), names(again)) {
		t.Error("another order")
	}
	found := map[probe.Status]int{}
	for _, k := range plan {
		found[k.want]++
	}
	want := []probe.Status{probe.Blocked, probe.Error, probe.Offline, probe.Online, probe.Timeout}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(found))); diff != "" {
		t.Errorf("statuses (-want +got)\n%s", diff)
	}
}

func names(plan []*kind) []string {
	var all []string
	for _, k := range plan {
		all = append(all, k.name)
	}
	return all
}
