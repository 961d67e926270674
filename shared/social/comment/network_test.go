package comment

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/moderation"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

// from posts a comment from a network.
func from(t *testing.T, db store.DB, network string, c Comment) error {
	t.Helper()
	c.Network = network
	_, err := Post(t.Context(), db, c)
	return err
}

// unlike returns a text that is no repetition of one with another number.
func unlike(n int) string {
	letters := "bcdfghjklm"
	var b strings.Builder
	for _, digit := range fmt.Sprint(n) {
		b.WriteString(strings.Repeat(string(letters[digit-'0'])+"a", 2))
		b.WriteByte('e')
	}
	return b.String()
}

// refusal returns the code and the seconds to wait of a refused comment.
func refusal(err error) (code string, wait any) {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return fmt.Sprint(err), nil
	}
	return f.Code, f.Fields["retry_after"]
}

// TestNetworkLimits posts by a new owner each time: the network is limited.
func TestNetworkLimits(t *testing.T) {
	for _, test := range []struct {
		name     string
		accepted int
		channel  func(i int) string
		every    time.Duration
		wait     int
	}{
		{"at once", NetworkAtOnce, func(i int) string { return fmt.Sprint("C", i) }, time.Second, 540},
		{"on one channel", NetworkPerChannel, func(int) string { return "A.br" }, 20 * time.Second, 2800},
		{"in an hour", NetworkPerHour, func(i int) string { return fmt.Sprint("C", i) }, 15 * time.Second, 600},
		{"in a day", NetworkPerDay, func(i int) string { return fmt.Sprint("C", i) }, 30 * time.Second, 43200 - 18000},
	} {
		t.Run(test.name, func(t *testing.T) {
			db := wiretest.OpenDB(t)
			now := noon
			for i := range test.accepted {
				if err := from(t, db, "net", made(t, identity.Owner(fmt.Sprint("g_", i)), test.channel(i), unlike(i), now)); err != nil {
					t.Fatalf("comment %d: %v", i+1, err)
				}
				now = now.Add(test.every)
			}
			more := made(t, "g_more", test.channel(1000), "one more", now)
			code, wait := refusal(from(t, db, "net", more))
			if code != "comment_network_limit_reached" || wait != test.wait {
				t.Errorf("one more: %s, wait %v, want %d", code, wait, test.wait)
			}
			if err := from(t, db, "another", more); err != nil {
				t.Errorf("from another network: %v", err)
			}
			later := made(t, "g_later", test.channel(1001), "later", now.Add(time.Duration(test.wait)*time.Second))
			if err := from(t, db, "net", later); (err == nil) != (test.accepted != NetworkPerDay) {
				t.Errorf("after the wait, with the name of the same day: %v", err)
			}
			known := made(t, "g_known", test.channel(1002), "of a neighbor", now)
			known.Known = true
			if err := from(t, db, "net", known); err != nil {
				t.Errorf("by an owner who is known: %v", err)
			}
		})
	}
}

// TestNetworkLimitsOfKnown posts by owners who are known: the network is limited too.
func TestNetworkLimitsOfKnown(t *testing.T) {
	db := wiretest.OpenDB(t)
	accepted := 0
	for i := range 3 * NetworkPerChannel {
		c := made(t, identity.Owner(fmt.Sprint("g_", i)), "A.br", unlike(i), noon.Add(time.Duration(i)*20*time.Second))
		c.Known = true
		if err := from(t, db, "net", c); err == nil {
			accepted++
		} else if code, wait := refusal(err); code != "comment_network_limit_reached" || wait == nil {
			t.Fatalf("comment %d: %s, wait %v", i, code, wait)
		}
	}
	if accepted != 2*NetworkPerChannel {
		t.Errorf("%d accepted, want %d", accepted, 2*NetworkPerChannel)
	}
}

// TestNetworkShared posts at once from several instances: the limit is one for all.
func TestNetworkShared(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB, writers int) {
		var kept, refused atomic.Int32
		var g errgroup.Group
		g.SetLimit(writers)
		for i := range NetworkPerChannel + 10 {
			g.Go(func() error {
				c, err := New(identity.Owner(fmt.Sprint("g_", i)), "A.br", "", unlike(i), noon)
				if err != nil {
					return err
				}
				c.Network = "net"
				_, err = Post(t.Context(), db, c)
				switch {
				case errors.Is(err, ErrNetworkLimit):
					refused.Add(1)
				case err == nil:
					kept.Add(1)
				default:
					return err
				}
				return nil
			})
		}
		if err := g.Wait(); err != nil || kept.Load() != NetworkPerChannel || refused.Load() != 10 {
			t.Errorf("%d accepted, %d refused, %v", kept.Load(), refused.Load(), err)
		}
		if n, err := Count(t.Context(), db, "A.br"); n != NetworkPerChannel || err != nil {
			t.Errorf("%d comments, %v", n, err)
		}
	})
}

// TestRepeated posts texts again, each step a minute after the one before.
func TestRepeated(t *testing.T) {
	const long, near = "The new presenter of the evening news is great", "The new presenter of the evening news is great!! 1"
	type step struct {
		owner, network identity.Owner
		channel, body  string
		want           string
	}
	const again = "comment_repeated"
	repeat := func(n int, s func(i int) step) (list []step) {
		for i := range n {
			list = append(list, s(i))
		}
		return list
	}
	for name, steps := range map[string][]step{
		"a long text on another channel": {{"g_1", "n1", "A", long, ""}, {"g_1", "n2", "B", long, again}},
		"nearly the same text":           {{"g_1", "n1", "A", long, ""}, {"g_1", "n2", "B", near, again}},
		"without a network":              {{"g_1", "", "A", long, ""}, {"g_1", "", "B", near, again}},
		"a long text of others":          {{"g_1", "n1", "A", long, ""}, {"g_2", "n2", "B", long, ""}},
		"boa on two channels":            {{"g_1", "n1", "A", "boa!", ""}, {"g_1", "n1", "B", "boa!", ""}},
		"boa twice on a channel":         {{"g_1", "n1", "A", "boa!", ""}, {"g_1", "n1", "A", "BOAAA", again}, {"g_1", "n1", "A", "muito boa!", ""}},
		"boa on six channels": append(repeat(5, func(i int) step { return step{"g_1", "", fmt.Sprint(i), "boa", ""} }),
			step{"g_1", "", "5", "boa", again}),
		"a network with many guests": append(repeat(longRepeats, func(i int) step {
			return step{identity.Owner(fmt.Sprint("g_", i)), "n1", fmt.Sprint("C", i), long, ""}
		}), step{"g_more", "n1", "X", near, again}, step{"g_more", "n2", "X", near, ""}),
		"boa from a network": append(repeat(shortRepeats, func(i int) step {
			return step{identity.Owner(fmt.Sprint("g_", i)), "n1", fmt.Sprint("C", i), "boa", ""}
		}), step{"g_more", "n1", "X", "boa", again}),
	} {
		t.Run(name, func(t *testing.T) {
			db := wiretest.OpenDB(t)
			for i, s := range steps {
				code, wait := refusal(from(t, db, string(s.network), made(t, s.owner, s.channel, s.body, noon.Add(time.Duration(i)*time.Minute))))
				if want := s.want; code != want && (want != "" || code != "<nil>") {
					t.Errorf("step %d: %s, want %q", i, code, want)
				}
				if n, _ := wait.(int); s.want != "" && (n < 1 || n > 24*3600) {
					t.Errorf("step %d: wait %v", i, wait)
				}
			}
		})
	}
}

// TestRepeatedLater posts a text again when its window has passed.
func TestRepeatedLater(t *testing.T) {
	const long = "The new presenter of the evening news is great"
	for _, test := range []struct {
		body string
		wait time.Duration
	}{{long, 24 * time.Hour}, {"boa", time.Hour}} {
		db := wiretest.OpenDB(t)
		if err := from(t, db, "n1", made(t, "g_1", "A", test.body, noon)); err != nil {
			t.Fatal(err)
		}
		code, wait := refusal(from(t, db, "n2", made(t, "g_1", "A", test.body, noon.Add(test.wait-time.Second))))
		if code != "comment_repeated" || wait != 1 {
			t.Errorf("%s: %s, wait %v", test.body, code, wait)
		}
		if err := from(t, db, "n2", made(t, "g_1", "A", test.body, noon.Add(test.wait))); err != nil {
			t.Errorf("%s: %v after the window", test.body, err)
		}
	}
}

// TestRepeatedAfterMove claims a guest: the account cannot repeat what the guest posted.
func TestRepeatedAfterMove(t *testing.T) {
	const long = "The new presenter of the evening news is great"
	db := wiretest.OpenDB(t)
	if _, err := post(t, db, "g_1", "A", long, noon); err != nil {
		t.Fatal(err)
	}
	err := db.Update(t.Context(), func(tx store.Tx) error {
		m, err := ReadPaceMove(tx, "g_1", "a_1")
		if err != nil {
			return err
		}
		return m.Write(tx, noon)
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := post(t, db, "a_1", "B", long, noon); !errors.Is(err, ErrRepeated) {
		t.Errorf("the account posts again: %v", err)
	}
}

// TestNetworkMuted refuses every owner of a muted network.
func TestNetworkMuted(t *testing.T) {
	db := wiretest.OpenDB(t)
	mute := moderation.Mute{ExpireAt: store.At(noon.Add(time.Hour))}
	if err := db.Set(t.Context(), moderation.NetworkMutePath("net"), mute); err != nil {
		t.Fatal(err)
	}
	if err := from(t, db, "net", made(t, "g_1", "A", "hello", noon)); !errors.Is(err, moderation.ErrMuted) {
		t.Errorf("from the muted network: %v", err)
	}
	if err := from(t, db, "other", made(t, "g_1", "A", "hello", noon)); err != nil {
		t.Errorf("from another network: %v", err)
	}
}

// TestTrace finds the network of a comment until that expires, and not in the comment.
func TestTrace(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB, _ int) {
		c := made(t, "g_1", "A", "hello", noon)
		if err := from(t, db, "net", c); err != nil {
			t.Fatal(err)
		}
		var kept trace
		if err := db.Get(t.Context(), tracePath(c.ID), &kept); err != nil || !kept.ExpireAt.Equal(noon.Add(TraceLife)) {
			t.Errorf("the trace expires at %v, %v", kept.ExpireAt, err)
		}
		for id, want := range map[string]string{c.ID: "net", strings.Repeat("a", idLen): "", "../x": ""} {
			if got, err := NetworkOf(t.Context(), db, id); got != want || err != nil {
				t.Errorf("NetworkOf(%s) = %q, %v; want %q", id, got, err, want)
			}
		}
		var stored map[string]any
		if err := db.Get(t.Context(), c.path(), &stored); err != nil {
			t.Fatal(err)
		}
		if _, ok := stored["network"]; ok || strings.Contains(fmt.Sprint(stored), "net") {
			t.Errorf("the comment has its network: %v", stored)
		}
	})
}

// TestPostCost counts the documents of a comment.
func TestPostCost(t *testing.T) {
	db := storetest.NewMeter(wiretest.OpenDB(t))
	for _, network := range []string{"", "net"} {
		before := db.Ops()
		if err := from(t, db, network, made(t, "g_1", "A", "hello "+network, noon)); err != nil {
			t.Fatal(err)
		}
		want := storetest.Ops{Reads: 2, Writes: 3}
		if network != "" {
			want = storetest.Ops{Reads: 4, Writes: 5, Deletes: 1} // the trace expires
		}
		if d := cmp.Diff(want, db.Ops().Less(before)); d != "" {
			t.Errorf("from %q (-want +got):\n%s", network, d)
		}
	}
}
