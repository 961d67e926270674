package social

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// fill shows counts in o, each in the shard of its channel, and loads all shards.
func fill(t *testing.T, o *Overlay, counts map[string]Counts) {
	t.Helper()
	shards := [Shards]map[string]entry{}
	for channel, c := range counts {
		n := ShardOf(channel)
		if shards[n] == nil {
			shards[n] = map[string]entry{}
		}
		shards[n][channel] = entry{Counts: c}
	}
	for n := range shards {
		data, err := json.Marshal(shards[n])
		if err == nil {
			err = o.show(n, data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// signaled reports whether u has signaled a change, and takes the signal.
func signaled(u *Uses) bool {
	synctest.Wait()
	select {
	case <-u.Changed():
		return true
	default:
		return false
	}
}

// TestUses checks when counters are sampled, and what a sample has.
func TestUses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &Overlay{}
		o.coming.Add(Shards)
		u := SampleUses(t.Context(), o, SampleEvery)
		time.Sleep(3 * SampleEvery)
		if signaled(u) || len(maps.Collect(u.All())) > 0 {
			t.Error("a sample was taken before the counters came")
		}
		fill(t, o, map[string]Counts{
			"played.br": {Heard: Heard{Plays: 7}}, "loved.br": {Favorites: 5, Heard: Heard{Favorites: 4}},
			"left.br": {Favorites: 3, Heard: Heard{Favorites: 9}}, "two.br": {Favorites: 9, Heard: Heard{Favorites: 2}},
			"owners.br": {Plays: 900, Played: 900, Favorites: 900}, "failing.br": {Fails: 5, Comments: 3},
			"negative.br": {Favorites: -1, Heard: Heard{Plays: -1, Favorites: 5}},
		})
		first := map[string]Use{"played.br": {Plays: 7}, "loved.br": {Favorites: 4}, "left.br": {Favorites: 3}}
		if !signaled(u) {
			t.Fatal("the first sample was not signaled")
		}
		before := u.All()
		fill(t, o, map[string]Counts{"played.br": {Heard: Heard{Plays: 8}}})
		time.Sleep(SampleEvery - time.Second)
		if signaled(u) {
			t.Error("a sample was taken too early")
		}
		time.Sleep(time.Second)
		if !signaled(u) {
			t.Error("the second sample was not signaled")
		}
		time.Sleep(5 * SampleEvery)
		if signaled(u) {
			t.Error("a sample that changed nothing was signaled")
		}
		if d := cmp.Diff(first, maps.Collect(before)); d != "" {
			t.Errorf("the first sample (-want +got):\n%s", d)
		}
		if d := cmp.Diff(map[string]Use{"played.br": {Plays: 8}}, maps.Collect(u.All())); d != "" {
			t.Errorf("the second sample (-want +got):\n%s", d)
		}
	})
}

// TestUsesEnd checks that sampling ends with its context, also while the counters
// have not come.
func TestUsesEnd(t *testing.T) {
	for _, loaded := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			o := &Overlay{}
			o.coming.Add(Shards)
			u := SampleUses(ctx, o, SampleEvery)
			if loaded {
				fill(t, o, nil)
			}
			synctest.Wait()
			cancel()
			synctest.Wait()
			fill(t, o, map[string]Counts{"a": {Heard: Heard{Plays: 3}}})
			time.Sleep(2 * SampleEvery)
			if signaled(u) {
				t.Errorf("loaded %t: sampled after the end", loaded)
			}
		})
	}
}

// TestMostUsed checks that a sample is bounded, and keeps what is used most.
func TestMostUsed(t *testing.T) {
	all := map[string]Use{}
	for i := range 100 {
		all[fmt.Sprintf("c%02d", i)] = Use{Plays: i / 2, Favorites: i / 2}
	}
	want := map[string]Use{"c97": {48, 48}, "c98": {49, 49}, "c99": {49, 49}, "c96": {48, 48}, "c94": {47, 47}}
	if d := cmp.Diff(want, mostUsed(all, 5)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if d := cmp.Diff(want, mostUsed(maps.Clone(want), math.MaxInt)); d != "" {
		t.Errorf("unbounded (-want +got):\n%s", d)
	}
}
