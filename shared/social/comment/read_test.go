package comment

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
)

// fill stores comments on a channel at times, and returns their bodies, newest first.
func fill(t *testing.T, db store.DB, channel string, times []time.Time) []string {
	t.Helper()
	const perUpdate = 250
	bodies := make([]string, len(times))
	for from := 0; from < len(times); from += perUpdate {
		err := db.Update(t.Context(), func(tx store.Tx) error {
			for i := from; i < min(from+perUpdate, len(times)); i++ {
				bodies[len(times)-1-i] = fmt.Sprint(i)
				// ids in the order of the comments, for those of one moment
				c := Comment{ID: idOf(i), Channel: channel, Owner: "g_1", Body: fmt.Sprint(i), CreatedAt: store.At(times[i])}
				if err := tx.Set(c.path(), c); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return bodies
}

// idOf returns the id of comment i, in the order of the numbers.
func idOf(i int) string {
	return strings.Map(func(digit rune) rune { return digit - '0' + 'a' }, fmt.Sprintf("%0*d", idLen, i))
}

func bodiesOf(list []Comment) (bodies []string) {
	for _, c := range list {
		bodies = append(bodies, c.Body)
	}
	return bodies
}

// evenly returns the times of n comments that come evenly.
func evenly(n int) []time.Time {
	return times(n, func(int) time.Duration { return time.Hour })
}

// inBursts returns the times of n comments of which many come within a second.
func inBursts(n int) []time.Time {
	random := rand.New(rand.NewPCG(1, 2))
	return times(n, func(i int) time.Duration {
		if i%97 == 0 {
			return time.Duration(random.IntN(100)) * 24 * time.Hour
		}
		return 3 * time.Millisecond
	})
}

// atOnce returns the times of n comments that come in two moments.
func atOnce(n int) []time.Time {
	return times(n, func(i int) time.Duration {
		if i == n/2 {
			return time.Hour
		}
		return 0
	})
}

func times(n int, step func(i int) time.Duration) []time.Time {
	list, at := make([]time.Time, n), noon
	for i := range list {
		at = at.Add(step(i))
		list[i] = at
	}
	return list
}

// TestSkip reads pages at any offset among comments that were posted evenly, in bursts,
// and in two moments: the right ones, with few reads.
func TestSkip(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB, _ int) {
		for name, test := range map[string]struct {
			times []time.Time
			reads int64 // at most, with 20 comments of the page
		}{
			"evenly":    {evenly(1020), 2 + 20 + slack + 8},
			"in bursts": {inBursts(1020), 2 + 20 + slack + 40},
			"at once":   {atOnce(300), 2 + 20 + 150 + 80},
		} {
			meter := storetest.NewMeter(db)
			total := len(test.times)
			want := fill(t, db, name, test.times)
			for _, skip := range []int{0, 1, 49, 51, 200, total / 2, total - 21, total - 20, total - 1} {
				before := meter.Ops()
				list, err := Skip(t.Context(), meter, name, skip, total, 20)
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(want[skip:min(skip+20, total)], bodiesOf(list)); d != "" {
					t.Errorf("%s, skipping %d (-want +got):\n%s", name, skip, d)
				}
				if reads := meter.Ops().Less(before).Reads; reads > test.reads {
					t.Errorf("%s, skipping %d: %d reads, want at most %d", name, skip, reads, test.reads)
				}
			}
			if list, err := Skip(t.Context(), db, name, total, total, 20); len(list) != 0 || err != nil {
				t.Errorf("%s: %d comments after the last, %v", name, len(list), err)
			}
		}
		if list, err := Skip(t.Context(), db, "another", 10, 100, 20); len(list) != 0 || err != nil {
			t.Errorf("on an empty channel: %d comments, %v", len(list), err)
		}
	})
}

// TestAfter reads all comments page after page, by as many reads as there are comments.
func TestAfter(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB, _ int) {
		meter := storetest.NewMeter(db)
		want := fill(t, db, "A", atOnce(300))
		page, err := Newest(t.Context(), meter, "A", 50)
		got := bodiesOf(page)
		for ; err == nil && len(page) > 0; got = append(got, bodiesOf(page)...) {
			p, ok := ParsePosition(page[len(page)-1].Position().String())
			if !ok {
				t.Fatal("a position is not read again")
			}
			page, err = After(t.Context(), meter, "A", p, 50)
		}
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, d)
		}
		if reads := meter.Ops().Reads; reads != 301 { // the last page, without comments, costs one
			t.Errorf("%d reads", reads)
		}
	})
}

// TestParsePosition refuses what String does not write.
func TestParsePosition(t *testing.T) {
	id := "abcdefghijklmnopqrstuvwxyz"
	for text, want := range map[string]bool{
		"":                            false,
		"_":                           false,
		"dkxxj4c2io_" + id:            true,
		"-1_" + id:                    true,
		"0_" + id:                     true,
		"0_x":                         false,
		"!_" + id:                     false,
		id:                            false,
		"zzzzzzzzzzzz_" + id:          false,
		"zzzzzzzzzzzzzzzzzzzzz_" + id: false,
		"0_" + id + "_":               false,
	} {
		if _, ok := ParsePosition(text); ok != want {
			t.Errorf("ParsePosition(%q) is %t", text, ok)
		}
	}
}
