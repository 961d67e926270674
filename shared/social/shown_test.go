package social

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestShown compares the sums of countries with those taken one by one.
func TestShown(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	countries := strings.Fields("BR US PT ZZ")
	for n := range 200 {
		c := Counts{Environments: map[string]Environment{}}
		want := map[string]Tally{}
		for range n % 40 {
			p := Place{fmt.Sprint("Browser ", r.IntN(9)), Other, countries[r.IntN(len(countries))]}
			e := Environment{Plays: r.Int64N(9), Fails: r.Int64N(9)}
			if old, ok := c.Environments[p.Key()]; ok {
				e.Plays, e.Fails = old.Plays, old.Fails
			} else {
				want[p.Country] = Tally{want[p.Country].Plays + e.Plays, want[p.Country].Fails + e.Fails}
			}
			c.Environments[p.Key()] = e
		}
		heard := map[string]Tally{}
		for range r.IntN(3) {
			heard[countries[r.IntN(len(countries))]] = Tally{r.Int64N(9), r.Int64N(9)}
		}
		c.Heard.Countries = heard
		s := NewShown(c)
		for _, country := range append(countries, "XK", "") {
			one, voices := c.In(country)
			all, shown := s.In(country)
			if one != want[country] || all != want[country] || voices != heard[country] || shown != heard[country] {
				t.Fatalf("%s of %v: %v and %v one by one, %v and %v before, want %v and %v", country, c, one, voices, all, shown, want[country], heard[country])
			}
		}
	}
}

// TestCountryOf reads keys as PlaceOf does, even those that no place has.
func TestCountryOf(t *testing.T) {
	for _, key := range []string{"", "|", "||", "|||", "BR", "|BR", "||BR", "a|b|BR", "a|b|BRA", "a|b|B", "a|b|c|BR", "a|BR"} {
		if got := countryOf(key); got != PlaceOf(key).Country && strings.Count(key, "|") == 2 {
			t.Errorf("countryOf(%q) = %q, want %q", key, got, PlaceOf(key).Country)
		}
	}
}

// TestLook finds by bytes what Counts finds, and shards as FNV-1a does.
func TestLook(t *testing.T) {
	o := &Overlay{}
	if _, ok := o.Look([]byte("A.br")); ok || !o.Empty() {
		t.Error("a new overlay shows something")
	}
	var none *Overlay
	if _, ok := none.Look([]byte("A.br")); ok || !none.Empty() {
		t.Error("no overlay shows something")
	}
	ids := []string{"A.br", "rb.00000000-0000-4000-8000-000000000002", "é", ""}
	for i, id := range ids {
		h := fnv.New32a()
		_, _ = h.Write([]byte(id))
		if got := ShardOf(id); got != int(h.Sum32()%Shards) {
			t.Errorf("shard of %q is %d", id, got)
		}
		o.shards[ShardOf(id)].Store(&map[string]*Shown{id: NewShown(Counts{Plays: int64(i)})})
	}
	for i, id := range ids {
		s, ok := o.Look([]byte(id))
		c, okToo := o.Counts(id)
		if !ok || !okToo || s.Plays != int64(i) || cmp.Diff(&s.Counts, c) != "" {
			t.Errorf("%q: %v and %v", id, s, c)
		}
	}
	if o.Empty() {
		t.Error("an overlay with counts is empty")
	}
	id := []byte(ids[1])
	if n := testing.AllocsPerRun(100, func() { o.Look(id) }); n != 0 {
		t.Errorf("a look takes %v allocations", n)
	}
}

// TestVersion checks that an overlay has another version when a count of any shard has
// changed, and the same one wherever it shows the same.
func TestVersion(t *testing.T) {
	one, other := &Overlay{}, &Overlay{}
	for _, o := range []*Overlay{one, other} {
		for n := range Shards {
			o.first[n].Do(func() {}) // nobody waits for them
		}
	}
	show := func(o *Overlay, n int, data string) uint64 {
		if err := o.show(n, []byte(data)); err != nil {
			t.Fatal(err)
		}
		return o.Version()
	}
	const a, b = `{"A.br":{}}`, `{"B.br":{}}`
	seen := map[uint64]bool{(*Overlay)(nil).Version(): true}
	for n := range 2 {
		for _, data := range []string{a, b} {
			version := show(one, n, data)
			if seen[version] {
				t.Errorf("shard %d with %s: the version is an earlier one", n, data)
			}
			seen[version] = true
		}
	}
	show(other, 1, b)
	if show(other, 0, b) != one.Version() {
		t.Error("overlays of the same counts have different versions")
	}
}
