package social

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// spoken makes facts of words such as "1:BR+ 2:BR-geo ?3:US+ fan:4 hop:5": a network,
// and what it reports where. A question mark makes the report doubtful, and an f before
// the country is another browser. Each semicolon begins the next day.
func spoken(words string) (list []Countable) {
	for day, words := range strings.Split(words, ";") {
		moment := at.AddDate(0, 0, day)
		for _, w := range strings.Fields(words) {
			before, after, _ := strings.Cut(w, ":")
			switch before {
			case "fan":
				list = append(list, Favorite{Channel: "A.br", Delta: 1, At: moment, Network: network(after)})
			case "unfan":
				list = append(list, Favorite{Channel: "A.br", Delta: -1, At: moment, Network: network(after)})
			case "hop":
				list = append(list, Play{Channel: "A.br", At: moment, Network: network(after)})
			default:
				list = append(list, spokenReport(before, after, moment))
			}
		}
	}
	return list
}

func spokenReport(who, what string, moment time.Time) Report {
	name, doubtful := strings.CutPrefix(who, "?")
	what, other := strings.CutPrefix(what, "f")
	r := Report{
		Channel: "A.br", Browser: "Chrome", OS: "Windows", Country: what[:2], OK: what[2] == '+', Code: what[3:], At: moment,
		Network: network(name), Doubtful: doubtful,
	}
	if other {
		r.Browser = "Firefox"
	}
	return r
}

func network(name string) string {
	var id [16]byte
	copy(id[:], name)
	return NetworkOf(id, "A.br")
}

func countedOfFacts(list []Countable) (c Counted) {
	for _, f := range list {
		c.Apply(f)
	}
	return c
}

// TestHeard takes each part of the rule at its edge. Voices are counted in halves.
func TestHeard(t *testing.T) {
	chrome := Place{"Chrome", "Windows", "BR"}.voiceKey()
	firefox := Place{"Firefox", "Windows", "BR"}.voiceKey()
	first := DateOf(at)
	agreed := func(played, failed Date) map[string]Agreed { return map[string]Agreed{"BR": {played, failed}} }
	only := func(t Tally) Heard {
		h := Heard{World: t, Countries: map[string]Tally{"BR": t}, Environments: map[string]Tally{chrome: t}}
		played, failed := Date(0), Date(0)
		if t.Plays > 0 {
			played = first
		}
		if t.Fails > 0 {
			failed = first
		}
		h.Agreed = agreed(played, failed)
		return h
	}
	with := func(h Heard, change func(*Heard)) Heard {
		change(&h)
		return h
	}
	for name, test := range map[string]struct {
		words string
		want  Heard
	}{
		"nothing":                         {"", Heard{}},
		"a thousand owners, one network":  {strings.Repeat("1:BR-geo ", 1000), Heard{}},
		"and one of two":                  {strings.Repeat("1:BR-geo 2:BR-geo ", 9), Heard{}},
		"one network on every day":        {strings.Repeat("1:BR-geo ; ", 40), Heard{}},
		"three networks":                  {"1:BR-geo 2:BR-geo 3:BR-geo", with(only(Tally{0, 6}), func(h *Heard) { h.FailCode = "geo" })},
		"three networks, three codes":     {"1:BR-geo 2:BR-cors 3:BR-codec", only(Tally{0, 6})},
		"three that played":               {"1:BR+ 2:BR+ 3:BR+", with(only(Tally{6, 0}), func(h *Heard) { h.Plays = 3 })},
		"three days":                      {"1:BR+ ; 2:BR+ ; 3:BR+", Heard{}},
		"a day that is not heard beside":  {"1:BR+ 2:BR+ 3:BR+ ; 4:BR- 5:BR-", with(only(Tally{6, 0}), func(h *Heard) { h.Plays = 3 })},
		"two days":                        {"1:BR+ 2:BR+ 3:BR+ ; 1:BR+ 2:BR+ 3:BR+", with(only(Tally{12, 0}), func(h *Heard) { h.Plays, h.Agreed = 6, agreed(first+1, 0) })},
		"a result of each day":            {"1:BR- 2:BR- 3:BR- ; 1:BR+ 2:BR+ 3:BR+ ; 1:BR- 2:BR-", with(only(Tally{6, 6}), func(h *Heard) { h.Plays, h.Agreed = 3, agreed(first+1, first) })},
		"one success alone":               {"1:BR-geo 2:BR-geo 3:BR-geo 4:BR+", with(only(Tally{0, 6}), func(h *Heard) { h.FailCode = "geo" })},
		"two successes":                   {"1:BR-geo 2:BR-geo 3:BR-geo 4:BR+ 5:BR+", with(only(Tally{4, 6}), func(h *Heard) { h.FailCode = "geo" })},
		"one failure alone":               {"1:BR+ 2:BR+ 3:BR+ 4:BR-geo", with(only(Tally{6, 0}), func(h *Heard) { h.Plays = 3 })},
		"both results of a network":       {"1:BR+ 1:BR-cors 2:BR+ 2:BR-cors", Heard{}},
		"five doubtful":                   {"?1:BR-geo ?2:BR-geo ?3:BR-geo ?4:BR-geo ?5:BR-geo", Heard{}},
		"six doubtful":                    {"?1:BR- ?2:BR- ?3:BR- ?4:BR- ?5:BR- ?6:BR-", only(Tally{0, 6})},
		"doubtful and later not":          {"?1:BR-geo 1:BR-geo 2:BR-geo ?3:BR-geo 3:BR-geo", with(only(Tally{0, 6}), func(h *Heard) { h.FailCode = "geo" })},
		"the code of the last day agreed": {"1:BR-geo 2:BR-geo 3:BR-geo ; 1:BR-cors 2:BR-cors 3:BR-cors ; 1:BR-outro", with(only(Tally{0, 12}), func(h *Heard) { h.FailCode, h.Agreed = "cors", agreed(0, first+1) })},
		"the world alone":                 {"1:BR-geo 2:PT-geo 3:US-geo", Heard{World: Tally{0, 6}, FailCode: "geo"}},
		"one network in three countries":  {"1:BR-geo 1:PT-geo 1:US-geo", Heard{}},
		"environments": {"1:BR+ 2:BR+ 3:BR+ 4:fBR-codec 5:fBR-codec", Heard{
			World: Tally{6, 4}, Countries: map[string]Tally{"BR": {6, 4}}, Environments: map[string]Tally{chrome: {6, 0}}, Plays: 3,
			Agreed: agreed(first, first),
		}},
		"two environments": {"1:BR+ 2:BR+ 3:BR+ 4:fBR-codec 5:fBR-codec 6:fBR-codec", Heard{
			World: Tally{6, 6}, Countries: map[string]Tally{"BR": {6, 6}}, Environments: map[string]Tally{chrome: {6, 0}, firefox: {0, 6}}, Plays: 3,
			FailCode: "codec", Agreed: agreed(first, first),
		}},
		"a network with two browsers": {"1:BR+ 1:fBR+ 2:BR+ 2:fBR+", Heard{}},
		"players":                     {"hop:1 hop:1 hop:2 3:PT+", Heard{Plays: 3}},
		"two players":                 {"hop:1 hop:2 ; hop:3", Heard{}},
		"fans":                        {"fan:1 fan:1 fan:2 ; fan:1 unfan:1", Heard{Favorites: 3}},
	} {
		c := countedOfFacts(spoken(test.words))
		if diff := cmp.Diff(test.want, c.Heard); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestVoicesInAnyOrder applies voices of many days, more of them than are kept, in many
// orders.
func TestVoicesInAnyOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var list []Countable
	for n := range 600 {
		r := randomReport(rng)
		r.At = at.AddDate(0, 0, -rng.IntN(9))
		r.Network = NetworkOf([16]byte{byte(rng.IntN(60))}, r.Channel)
		p := play
		p.At, p.Network = r.At, NetworkOf([16]byte{1, byte(n)}, r.Channel)
		f := liked
		f.At, f.Network = r.At, p.Network
		list = append(list, r, p, f)
	}
	want := countedOfFacts(list)
	for range 10 {
		rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		if diff := cmp.Diff(want, countedOfFacts(list)); diff != "" {
			t.Fatalf("another order (-one +other):\n%s", diff)
		}
	}
	if want.Heard.World.Fails == 0 || len(want.Heard.Countries) != 3 || len(want.Heard.Environments) == 0 || len(want.Heard.Agreed) != 3 || want.Heard.FailCode == "" {
		t.Errorf("too little is heard to test anything: %+v", want.Heard)
	}
}

// TestAgreedIsTaken takes the place of the networks that agreed: a day on which they are no
// longer heard is not the last one any more, and the one before it is.
func TestAgreedIsTaken(t *testing.T) {
	report := func(day, network int, ok bool) Report {
		r := Report{Channel: "A.br", Browser: "Chrome", OS: "Windows", Country: "BR", OK: ok, At: at.AddDate(0, 0, day)}
		if !ok {
			r.Code = OtherCode
		}
		r.Network = fmt.Sprintf("%012x", network)
		return r
	}
	var c Counted
	for n := range 3 {
		c.Apply(report(0, n, true))
	}
	for n := range 2 { // at the end of the sample, after ten that fail
		c.Apply(report(1, 0xf0+n, true))
	}
	for n := range 10 {
		c.Apply(report(1, 0x10+n, false))
	}
	first := DateOf(at)
	if d := cmp.Diff(map[string]Agreed{"BR": {first + 1, first + 1}}, c.Heard.Agreed); d != "" {
		t.Fatalf("before (-want +got):\n%s", d)
	}
	c.Apply(report(1, 0x01, false))
	if d := cmp.Diff(map[string]Agreed{"BR": {first, first + 1}}, c.Heard.Agreed); d != "" {
		t.Errorf("after (-want +got):\n%s", d)
	}
}

// TestVoicesAreBounded counts a flood from a million networks' worth of names over a
// season: what is kept of a channel stays small, and what was heard stays.
func TestVoicesAreBounded(t *testing.T) {
	var c Counted
	for day := range 40 {
		for n := range 300 {
			r := Report{
				Channel: "A.br", Browser: fmt.Sprint("B", n%7), OS: "S", Country: []string{"BR", "PT"}[n%2], Code: "geo",
				At: at.AddDate(0, 0, day), Network: network(fmt.Sprint(day, " ", n/6)), Doubtful: n%4 < 2,
			}
			c.Apply(r)
			c.Apply(Play{Channel: "A.br", At: r.At, Network: network(fmt.Sprint("p", n))})
		}
	}
	if len(c.Days) != openDays+1 {
		t.Errorf("%d days are kept", len(c.Days))
	}
	const most = maxNetworks * maxEnvironments * recordLen
	for day, d := range c.Days {
		for country, s := range d.Voices {
			for _, packed := range [][]byte{s.Sure, s.Doubtful} {
				if len(packed) > most || len(packed)%recordLen != 0 || len(packed) == 0 {
					t.Errorf("%d bytes of %s on %s", len(packed), country, day)
				}
			}
		}
		if len(d.Players) != maxMarks*markLen {
			t.Errorf("%d bytes of players on %s", len(d.Players), day)
		}
	}
	// Both lists have the same networks, and of those the sure voices count.
	if got := c.Heard.Countries["BR"].Fails; got != 40*2*maxNetworks {
		t.Errorf("%d halves are heard in BR", got)
	}
	if c.Heard.Plays != 40*maxMarks || c.Heard.FailCode != "geo" {
		t.Errorf("%d plays are heard, and the code %q", c.Heard.Plays, c.Heard.FailCode)
	}
	later := report
	later.At, later.OK, later.Code = at.AddDate(0, 0, 200), true, ""
	later.Network = network("late")
	if c.Apply(later); len(c.Days) != 1 || c.Heard.FailCode != "geo" {
		t.Errorf("after a long pause %d days are kept, and the code is %q", len(c.Days), c.Heard.FailCode)
	}
}

// TestVoicesOfTheWorld counts a channel that is watched in many countries every day, with as
// many networks in each as are kept: the document fits, what was heard stays, and a report
// of a day whose voices are gone is counted and not heard.
func TestVoicesOfTheWorld(t *testing.T) {
	const days, countries = 34, 80
	var full Sample
	for n := range maxNetworks {
		full, _ = full.with(false, record{mark{byte(n)}, 1, 1})
		full, _ = full.with(true, record{mark{byte(n), 1}, 1, 1})
	}
	var c Counted
	for day := range days {
		r := report
		r.At = at.AddDate(0, 0, day)
		c.Apply(r)
		r.Network = network("one")
		c.Apply(r)
		voices := c.Days[r.At.Format(time.DateOnly)].Voices
		for n := range countries {
			voices[fmt.Sprintf("%c%c", 'A'+n/10, 'A'+n%10)] = full
		}
		c.Heard.Plays++
	}
	if data, err := json.Marshal(c); err != nil || len(data) > 1<<19 {
		t.Errorf("the document has %d bytes, %v", len(data), err)
	}
	if len(c.Days) < 3 || len(c.Days) >= days || c.Closed == "" {
		t.Errorf("%d days are kept, and those to %q closed", len(c.Days), c.Closed)
	}
	if c.Heard.Plays != days {
		t.Errorf("%d plays are heard, want %d", c.Heard.Plays, days)
	}
	late, kept, heard, fails := report, len(c.Days), c.Heard.World, c.Fails
	late.At, late.Network = at.AddDate(0, 0, 2), network("late")
	if c.Apply(late); c.Fails != fails+1 || c.Heard.World != heard || len(c.Days) != kept {
		t.Errorf("a late report: %d fails, %d days, %+v", c.Fails, len(c.Days), c.Heard.World)
	}
}

// TestOldCounts reads documents from before networks were heard: they have their
// counters, nothing is heard, and what comes next is counted.
func TestOldCounts(t *testing.T) {
	const old = `{"plays":7,"fails":9,"favorites":3,"last_fail_code":"geo","channel":"A.br","revision":4,
		"environments":{"Chrome|Windows|BR":{"plays":7,"fails":9,"last_at":"2026-11-20T00:00:00Z"}}}`
	var c Counted
	if err := json.Unmarshal([]byte(old), &c); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Heard{}, c.Heard); diff != "" || c.use() != (Use{}) {
		t.Errorf("old counts are heard, %+v (-want +got):\n%s", c.use(), diff)
	}
	for _, f := range spoken("1:BR+ 2:BR+ 3:BR+") {
		c.Apply(f)
	}
	c.Apply(report) // of a process that does not name networks yet
	if c.Plays != 10 || c.Fails != 10 || c.Heard.World != (Tally{6, 0}) {
		t.Errorf("then %d plays, %d fails and %+v", c.Plays, c.Fails, c.Heard)
	}
}

// TestNetworkOf checks that names depend on the network and the channel.
func TestNetworkOf(t *testing.T) {
	one := NetworkOf([16]byte{1}, "A.br")
	for _, other := range []string{NetworkOf([16]byte{2}, "A.br"), NetworkOf([16]byte{1}, "B.br")} {
		if other == one || checkNetwork(other) != nil {
			t.Errorf("%q and %q", one, other)
		}
	}
}

func BenchmarkHear(b *testing.B) {
	b.ReportAllocs()
	rng := rand.New(rand.NewPCG(1, 2))
	var c Counted
	for b.Loop() {
		c.Apply(randomReport(rng))
	}
}
