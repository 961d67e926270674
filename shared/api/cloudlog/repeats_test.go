package cloudlog

import (
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestRepeats logs 5,000 things of one name in a moment, then one a second, then none.
func TestRepeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b strings.Builder
		plain := func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
				return slog.Attr{}
			}
			return a
		}
		r := NewRepeats(slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{ReplaceAttr: plain})), "wrong", "token")
		logged := func() (lines []string) {
			defer b.Reset()
			return strings.Split(strings.TrimSpace(b.String()), "\n")
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
