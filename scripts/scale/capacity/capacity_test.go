package capacity

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/scripts/scale/world"
)

// small returns the model of the world with 2,000 channels and short simulations.
func small(t *testing.T) *Model {
	t.Helper()
	w, err := world.Load()
	if err != nil {
		t.Fatal(err)
	}
	w.People.Channels.Value = 2000
	m, err := Current(w, "../../..")
	if err != nil {
		t.Fatal(err)
	}
	m.Events, m.Most = 5000, 1e6
	return m
}

func part(t *testing.T, name string) Part {
	t.Helper()
	for _, p := range Parts {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("no part %s", name)
	return Part{}
}

// people returns the busiest hour of a day with so many people.
func people(m *Model, n float64) Load {
	l := m.Peak()
	l.People = n
	return l
}

// TestOutcome has for every part what depends on nothing but the seed, limits that are
// above 0, and no cost without people.
func TestOutcome(t *testing.T) {
	m, same := small(t), small(t)
	for _, p := range Parts {
		setups := []Setup{{}, Moved(false), Moved(true)}
		for _, move := range p.Moves {
			setups = append(setups, move.Setup)
		}
		for _, s := range setups {
			l := people(m, 1e5)
			o := m.Outcome(p, l, s)
			if diff := cmp.Diff(o, same.Outcome(p, l, s)); diff != "" {
				t.Errorf("%s differs between two runs with one seed:\n%s", p.Name, diff)
			}
			if len(o.Uses) == 0 {
				t.Errorf("%s uses nothing", p.Name)
			}
			for _, u := range o.Uses {
				if !(u.Capacity > 0) || !(u.Used >= 0) || math.IsInf(u.Used, 0) {
					t.Errorf("%s uses %+v", p.Name, u)
				}
			}
			if diff := cmp.Diff(Rates{}, m.Outcome(p, people(m, 0), s).Rates); diff != "" {
				t.Errorf("%s costs without people:\n%s", p.Name, diff)
			}
		}
	}
}

// TestHop asks less of origins and of instances behind a CDN, and more with more people.
func TestHop(t *testing.T) {
	m := small(t)
	few, many := m.hop(people(m, 1e5), Setup{}), m.hop(people(m, 1e6), Setup{})
	if a, b := few.figure("playlists"), many.figure("playlists"); math.Abs(b/a-10) > 1e-9 {
		t.Errorf("ten times the people ask for %g times the playlists", b/a)
	}
	cdn := m.hop(people(m, 1e6), Setup{CDN: true})
	if a, b := many.figure("that reach the hop"), cdn.figure("that reach the hop"); a != 100 || b >= a {
		t.Errorf("%g %% reach the hop, behind a CDN %g %%", a, b)
	}
	if a, b := many.figure("fetched from origins"), cdn.figure("fetched from origins"); b > a {
		t.Errorf("%g fetches a second, behind a CDN %g", a, b)
	}
	owners := m.hop(people(m, 1e6), Setup{Owners: true})
	if a, b := many.figure("fetched from origins"), owners.figure("fetched from origins"); b >= a || owners.Uses[0].Used > 1/m.Play.Fresh.Value {
		t.Errorf("%g fetches a second, by owners %g, %g of them of the most popular stream", a, b, owners.Uses[0].Used)
	}
	if cdn.Rates.Lookups == 0 || many.Rates.Lookups != 0 {
		t.Error("only a CDN has lookups")
	}
}

// TestCounting counts each fact in a transaction of its own while few come, and many
// together that are gathered.
func TestCounting(t *testing.T) {
	m := small(t)
	m.Play.Direct.Value = 0
	few := m.counting(people(m, 1000), Setup{})
	if n := few.figure("facts in a transaction"); n > 1.05 {
		t.Errorf("%g facts of few people in a transaction, want about one", n)
	}
	many := people(m, 1e6)
	now, moved := m.counting(many, Setup{}), m.counting(many, Setup{Gather: 5})
	if a, b := now.Uses[0], moved.Uses[0]; a.Used <= a.Capacity || b.Used > b.Capacity {
		t.Errorf("the most popular channel has %g writes a second, gathered %g", a.Used, b.Used)
	}
	if a, b := now.figure("facts in a transaction"), moved.figure("facts in a transaction"); b < 2*a {
		t.Errorf("%g facts in a transaction, gathered %g", a, b)
	}
}

// TestBatch counts as many facts in a transaction as fit, and the others in the next.
func TestBatch(t *testing.T) {
	m := small(t)
	m.Counting.Batch.Value = 2
	p := place{0, subject{kind: channelFacts}}
	b := &ledger{Model: m, waiting: map[place]int{p: 5}, spilled: map[subject]float64{}, transactions: map[subject]float64{}}
	var left []int
	for len(b.waiting) > 0 {
		b.end(1, p)
		left = append(left, b.waiting[p])
	}
	if diff := cmp.Diff([]int{3, 1, 0, 0}, left); diff != "" || b.done != 3 {
		t.Errorf("%g transactions, facts that are left after each (-want +got):\n%s", b.done, diff)
	}
}

// TestMarks has documents of marks for a channel with many facts on a day.
func TestMarks(t *testing.T) {
	m := small(t)
	if n := m.counting(people(m, 1000), Setup{}).figure("documents of marks read with the busiest"); n > 1 {
		t.Errorf("%g documents of marks for few people", n)
	}
	if n := m.counting(people(m, 1e6), Setup{}).figure("documents of marks read with the busiest"); n < 5 {
		t.Errorf("%g documents of marks for a million people", n)
	}
}

// TestChat accepts in a room what its limit lets through, and writes the number of a room
// once a second where one instance has it.
func TestChat(t *testing.T) {
	m := small(t)
	m.People.Zipf.Value = 0
	busiest := func(s Setup) float64 {
		for _, u := range m.chat(m.Peak(), s).Uses {
			if u.Resource == "the number of the busiest room" {
				return u.Used
			}
		}
		return 0
	}
	if n := busiest(Setup{}); n <= 1 || n > m.Chat.RoomMost.Value*1.5 {
		t.Errorf("the busiest room has %g messages a second, want at most %g", n, m.Chat.RoomMost.Value)
	}
	if n := busiest(Setup{RoomOwner: true}); n > 1.1 {
		t.Errorf("its owner writes the number %g times a second", n)
	}
}

// TestPresence reads a hundred times as much with ten times the instances, unless one
// instance adds up.
func TestPresence(t *testing.T) {
	m := small(t)
	for _, test := range []struct {
		name string
		s    Setup
		want float64
	}{{"as it is", Setup{}, 100}, {"one sum", Setup{PresenceSum: 5}, 10}} {
		a, b := m.presence(people(m, 1e6), test.s), m.presence(people(m, 1e7), test.s)
		if grows := b.Rates.Reads / a.Rates.Reads; math.Abs(grows/test.want-1) > 0.2 {
			t.Errorf("%s: reads grow %g times, want %g", test.name, grows, test.want)
		}
	}
}

// TestBreaking finds where the use of a part reaches what there is.
func TestBreaking(t *testing.T) {
	m := small(t)
	m.Most = 1e8
	for name, test := range map[string]struct {
		grows string
		uses  func(Load) []Use
		want  float64
		what  string
	}{
		"linear": {ByPeople, func(l Load) []Use {
			return []Use{{"a", l.People, 40_000, ""}, {"b", l.People, 70_000, ""}}
		}, 40_000, "a"},
		"quadratic": {ByPeople, func(l Load) []Use { return []Use{{"a", l.People * l.People, 4e10, ""}} }, 200_000, "a"},
		"channels":  {ByChannels, func(l Load) []Use { return []Use{{"a", l.Channels, 5e6, ""}} }, 5e6, "a"},
		"never":     {ByChannels, func(Load) []Use { return []Use{{"a", 1, 2, ""}} }, math.Inf(1), ""},
	} {
		p := Part{Grows: test.grows, Run: func(_ *Model, l Load, _ Setup) Outcome { return Outcome{Uses: test.uses(l)} }}
		got := m.Breaking(p, Setup{})
		if got.What != test.what || math.Abs(got.At/test.want-1) > 0.01 {
			t.Errorf("%s: breaks at %g by %q, want %g by %q", name, got.At, got.What, test.want, test.what)
		}
	}
}

// TestPriceOfSums prices one unit of each item.
func TestPriceOfSums(t *testing.T) {
	m := small(t)
	got := m.price(Rates{
		Requests: 1e6, Processor: 1e6, Memory: 1e6, ProcessorKept: 1e6, MemoryKept: 1e6, Reads: 1e5, Writes: 1e5, Deletes: 1e5,
		Events: 1 << 40, Egress: 1 << 30, Lookups: 1e4, BalancerThrough: 1 << 30,
	})
	want := Bill{
		ItemRequests: 0.4, ItemProcessor: 26.5, ItemKept: 20, ItemReads: 0.03, ItemWrites: 0.09, ItemDeletes: 0.01, ItemEvents: 40,
		ItemBalancer: 18.008, ItemLookups: 0.0075, ItemEgress: 0.08, ItemJobs: 1,
	}
	for _, item := range Items {
		if math.Abs(got[item]-want[item]) > 1e-9 {
			t.Errorf("%s costs %g, want %g", item, got[item], want[item])
		}
	}
}

// TestBill is dearer with more people, and has the fixed items without any.
func TestBill(t *testing.T) {
	m := small(t)
	idle, few, many := m.Bill(0, Setup{}), m.Bill(m.PeopleFor(1e6), Setup{}), m.Bill(m.PeopleFor(1e8), Setup{})
	if idle[ItemEgress] != 0 || idle[ItemBalancer] == 0 || !(idle.Sum() < few.Sum() && few.Sum() < many.Sum()) {
		t.Errorf("idle %g, a million requests %g, a hundred million %g", idle.Sum(), few.Sum(), many.Sum())
	}
}

// TestRegions divides people among regions, and adds up what is paid for.
func TestRegions(t *testing.T) {
	m := small(t)
	p := part(t, world.PartPeople)
	one, three := m.Outcome(p, people(m, 3e7), Setup{}), m.Outcome(p, people(m, 3e7), Setup{Regions: 3})
	if math.Abs(three.Rates.Writes/one.Rates.Writes-1) > 1e-9 || three.Uses[0].Used >= one.Uses[0].Used {
		t.Errorf("one region uses %+v, one of three %+v", one.Uses[0], three.Uses[0])
	}
}
