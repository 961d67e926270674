package cloudlog

import (
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A page is what was logged, by goroutines of timers too.
type page struct {
	mu sync.Mutex
	b  strings.Builder // guarded by mu
}

func (p *page) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.b.Write(b)
}

// turn returns what was logged since the last call.
func (p *page) turn() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.b.Reset()
	return p.b.String()
}

// TestRepeats logs 5,000 things of one name in a moment, then one a second, then none.
func TestRepeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b page
		plain := func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
				return slog.Attr{}
			}
			return a
		}
		r := NewRepeats(slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{ReplaceAttr: plain})), "wrong", "token")
		logged := func() (lines []string) {
			return strings.Split(strings.TrimSpace(b.turn()), "\n")
		}
		check := func(what string, want ...string) {
			t.Helper()
			if d := cmp.Diff(want, logged()); d != "" {
				t.Errorf("%s (-want +got):\n%s", what, d)
			}
		}
		for range 5000 {
			r.Add("A")
		}
		r.Add("B")
		check("at once", "msg=wrong token=A count=1", "msg=wrong token=B count=1")
		time.Sleep(repeatEvery)
		synctest.Wait()
		check("after a minute", "msg=wrong token=A count=4999")
		for range 60 {
			r.Add("A")
			time.Sleep(time.Second)
		}
		synctest.Wait()
		check("in the next minute", "msg=wrong token=A count=60")
		time.Sleep(repeatEvery)
		synctest.Wait()
		check("when it has ended", "")
		r.Add("A")
		r.Add("A")
		r.Flush()
		check("when it begins again and the process ends", "msg=wrong token=A count=1", "msg=wrong token=A count=1")
		time.Sleep(2 * repeatEvery)
		synctest.Wait()
		check("after the end", "")
	})
}
