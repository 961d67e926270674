package library

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"miramundo.dev/shared/store"
	"miramundo.dev/shared/wire"
)

// A crowd is writers of one library, with what became of their writes.
type crowd struct {
	mu    sync.Mutex
	took  []time.Duration // by the writes that were acknowledged; guarded by mu
	kept  []string        // their channels; guarded by mu
	other []error         // of the other writes; guarded by mu
}

// write adds channels to the library of g_ana, one write each.
func (c *crowd) write(t *testing.T, db store.DB, channels ...string) {
	for _, channel := range channels {
		begin := time.Now()
		_, err := Update(t.Context(), db, "g_ana", noon, func(l *Library) error {
			l.Merge([]Category{{Name: "News", Groups: []Group{{Name: channel[len(channel)-1:], Items: []Item{{Channel: channel}}}}}})
			return nil
		})
		c.mu.Lock()
		if err == nil {
			c.took, c.kept = append(c.took, time.Since(begin)), append(c.kept, channel)
		} else {
			c.other = append(c.other, err)
		}
		c.mu.Unlock()
	}
}

// TestCrowd lets 30 writers make three writes each to one library, by two instances.
// An acknowledged write is kept, no write is made twice, and the others were too late
// on a machine that is too slow.
func TestCrowd(t *testing.T) {
	for name, config := range crowded(t) {
		t.Run(name, func(t *testing.T) {
			var c crowd
			var writers sync.WaitGroup
			for instance := range 2 {
				db := open(t, config)
				for n := range 15 {
					channel := fmt.Sprintf("%d.%d", instance, n)
					writers.Go(func() { c.write(t, db, channel+".a", channel+".b", channel+".c") })
				}
			}
			writers.Wait()
			c.check(t, open(t, config))
		})
	}
}

// crowded returns what the instances of a crowd open, by the name of the backend.
func crowded(t *testing.T) map[string]wire.Config {
	all := map[string]wire.Config{"embedded": {Backend: wire.Embedded, DataDir: t.TempDir()}}
	if host := os.Getenv("FIRESTORE_EMULATOR_HOST"); host != "" {
		all["firestore"] = wire.Config{
			Backend: wire.Emulators, Project: fmt.Sprintf("demo-crowd-%d", os.Getpid()), FirestoreHost: host, PubSubHost: os.Getenv("PUBSUB_EMULATOR_HOST"),
		}
	}
	return all
}

// check compares the stored library with what the writers were answered.
func (c *crowd) check(t *testing.T, db store.DB) {
	t.Helper()
	for _, err := range c.other {
		if !errors.Is(err, store.ErrBusy) && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a write fails with %v, want %v, or the end of its time", err, store.ErrBusy)
		}
	}
	l, err := Load(t.Context(), db, "g_ana")
	if err != nil {
		t.Fatal(err)
	}
	times := map[string]int{}
	for _, category := range l.Categories {
		for _, group := range category.Groups {
			for _, item := range group.Items {
				times[item.Channel]++
			}
		}
	}
	for channel, n := range times {
		if n > 1 {
			t.Errorf("%s was added %d times", channel, n)
		}
	}
	for _, channel := range c.kept {
		if times[channel] == 0 {
			t.Errorf("the acknowledged write of %s is lost", channel)
		}
	}
	if got, most := int(l.Revision), len(c.kept)+len(c.other); got < len(c.kept) || got > most {
		t.Errorf("revision %d after %d acknowledged writes of %d", got, len(c.kept), most)
	}
	slices.SortFunc(c.took, cmp.Compare)
	if n := len(c.took); n > 0 {
		t.Logf("%d acknowledged, %d busy; p50 %v, p99 %v", n, len(c.other), c.took[n/2], c.took[n*99/100])
	}
}
