package social

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"math/bits"
	"slices"
	"time"
)

// This file hears networks. The counters of a channel count what every owner reports,
// and owners cost nothing: one network makes as many guests as it likes. So verdicts
// are not made from the counters, but from voices: a network has one voice on a day
// for each result, however many owners report it there. A network is the wider one of
// package identity, under a name that changes with the day and with the channel, so
// that what is stored says nothing of who it was.
//
// The names change at midnight, so three voices of three days may come from one
// network. A day of a slice (the world, a country, an environment) is therefore heard
// only when MinNetworks networks report in it, and a result only when minAgree of
// them agree on it. One network alone is then never heard, however long it tries. A
// doubtful report counts half: its network needs others beside it to make up for that.
//
// What a day comes to is added to Heard at once, and its voices are dropped when no
// report of that day can be counted any more, or sooner, when the voices of a channel that
// is watched in very many countries would outgrow its document. See sample.go for what is
// kept of a day.

// How much must be heard, and for how long voices are kept.
const (
	// MinNetworks is how many networks must report in a slice on one day for that day
	// to be heard. A network with doubtful reports alone counts half.
	MinNetworks = 3
	minAgree    = 2 // networks that must report a result on a day

	openDays = 33 // a fact is counted for 31 days, by clocks that differ by one

	// maxVoices is how many bytes of voices are kept of a channel, and more only of a
	// single day, which cannot have more than 290,000. A document has room for 1 MiB.
	maxVoices = 192 << 10
)

// Heard is what networks say of a channel: what its verdicts and its place in lists
// are made from. Voices are counted in halves: a doubtful one has one, any other two.
type Heard struct {
	World     Tally            `json:"world,omitzero"`
	Countries map[string]Tally `json:"countries,omitempty"`
	// Environments are by the keys that Environment computes.
	Environments map[string]Tally `json:"environments,omitempty"`
	// Agreed are the last days of the countries, by country.
	Agreed    map[string]Agreed `json:"agreed,omitempty"`
	FailCode  string            `json:"fail_code,omitempty"` // the last on which MinNetworks networks agreed
	Plays     int64             `json:"plays,omitempty"`     // networks that played it, of days with MinNetworks of them
	Favorites int64             `json:"favorites,omitempty"` // networks that made it a favorite, of each day
}

// Agreed are the last days on which a country was heard to play a channel, and to fail:
// on which MinNetworks of its networks reported, and minAgree of them that result. The
// zero Agreed is that of a country that never was.
type Agreed struct {
	Played Date `json:"played,omitempty"`
	Failed Date `json:"failed,omitempty"`
}

// A Date is a day in UTC, as the number of days since the first of January 1970. Zero
// stands for no day.
type Date int32

// DateOf returns the day of a moment.
func DateOf(at time.Time) Date { return Date(at.Unix() / int64(24*time.Hour/time.Second)) }

// Environment returns the voices of the environment at p.
func (h *Heard) Environment(p Place) Tally {
	if len(h.Environments) == 0 {
		return Tally{}
	}
	var space [16]byte // keeps the key on the stack
	return h.Environments[string(appendVoiceKey(space[:0], p.Country, p.hash()))]
}

// A Day has the voices of one day about a channel.
type Day struct {
	Voices   map[string]Sample `json:"voices,omitempty"`    // of reports, by country
	Players  []byte            `json:"players,omitempty"`   // marks of networks that played the channel
	Fans     []byte            `json:"fans,omitempty"`      // marks of networks that made it a favorite
	FailCode string            `json:"fail_code,omitempty"` // on which the networks agree
}

// A failure is the code on which the networks of a day agreed.
type failure struct {
	Day  string `json:"day,omitempty"`
	Code string `json:"code,omitempty"`
}

// NetworkOf returns the name of a network for what it says of a channel on a day. id is
// the name of the network on that day.
func NetworkOf(id [16]byte, channel string) string {
	sum := sha256.Sum256(append(append([]byte("voice\x00"), id[:]...), channel...))
	return hex.EncodeToString(sum[:markLen])
}

// hash returns the name of a browser and a system in a voice.
func (p Place) hash() uint32 {
	return fnv1a(fnv1a(fnv1a(fnvBasis, p.Browser), bar), p.OS)
}

// voiceKey returns p as the key of Heard.Environments.
func (p Place) voiceKey() string { return voiceKey(p.Country, p.hash()) }

func voiceKey(country string, environment uint32) string {
	return string(appendVoiceKey(nil, country, environment))
}

func appendVoiceKey(dst []byte, country string, environment uint32) []byte {
	dst = append(append(dst, country...), bar...)
	return hex.AppendEncode(dst, binary.BigEndian.AppendUint32(nil, environment))
}

// A ballot sums what the networks of a slice say on a day.
type ballot struct {
	weight, played, failed int64 // halves of networks, and networks by what they report
	voices                 Tally // in halves
	codes                  [maxCodes]int64
}

// add adds what one network says.
func (b *ballot) add(v voice) {
	b.weight += max(v.Plays, v.Fails)
	b.played += min(v.Plays, 1)
	b.failed += min(v.Fails, 1)
	b.voices = b.voices.plus(v.Tally, 1)
	for codes := v.codes; codes != 0; codes &= codes - 1 {
		b.codes[bits.TrailingZeros16(codes)] += v.Fails
	}
}

// tally returns the voices that are heard.
func (b *ballot) tally() (t Tally) {
	if b.weight < 2*MinNetworks {
		return t
	}
	if b.played >= minAgree {
		t.Plays = b.voices.Plays
	}
	if b.failed >= minAgree {
		t.Fails = b.voices.Fails
	}
	return t
}

// code returns the failure code that most of the networks name, when they are
// MinNetworks; of two that as many name, the greater.
func (b *ballot) code() (code string) {
	most := int64(2 * MinNetworks)
	for n, name := range Codes {
		if w := b.codes[n]; w > most || w == most && name > code {
			most, code = w, name
		}
	}
	return code
}

// addCountry adds to h what a country's sample of a day comes to, or removes it when
// sign is -1. It returns the voices of the country that are heard on that day.
func (h *Heard) addCountry(country string, sample Sample, sign int64) Tally {
	environments := map[uint32]*ballot{}
	voices := sample.voices()
	for _, v := range voices {
		b := environments[v.environment]
		if b == nil {
			b = new(ballot)
			environments[v.environment] = b
		}
		b.add(v)
	}
	all := tallyOf(voices)
	h.Countries = addTally(h.Countries, country, all, sign)
	for e, b := range environments {
		h.Environments = addTally(h.Environments, voiceKey(country, e), b.tally(), sign)
	}
	return all
}

// tallyOf returns what is heard of voices, those of one network together.
func tallyOf(voices []voice) Tally {
	var b ballot
	for v := range networks(voices) {
		b.add(v)
	}
	return b.tally()
}

// agree notes on which day the networks of a country last agreed on a result. It is called
// when the sample of a day has changed. A network may take the place of another in a sample,
// so that the networks of the last day no longer agree: then the last of the other days whose
// voices are kept, on which they do, takes its place.
func (c *Counted) agree(country string, on Date, heard Tally) {
	last := func(old Date, result func(Tally) int64) Date {
		switch {
		case result(heard) > 0:
			return max(old, on)
		case old != on:
			return old
		}
		return c.lastHeard(country, on, result)
	}
	old := c.Heard.Agreed[country]
	now := Agreed{
		Played: last(old.Played, func(t Tally) int64 { return t.Plays }),
		Failed: last(old.Failed, func(t Tally) int64 { return t.Fails }),
	}
	switch now {
	case old:
	case Agreed{}:
		delete(c.Heard.Agreed, country)
	default:
		if c.Heard.Agreed == nil {
			c.Heard.Agreed = map[string]Agreed{}
		}
		c.Heard.Agreed[country] = now
	}
}

// lastHeard returns the last day but one on which a country was heard to report a result,
// among those whose voices are kept; zero for none.
func (c *Counted) lastHeard(country string, but Date, result func(Tally) int64) (last Date) {
	for day, d := range c.Days {
		at, err := time.Parse(time.DateOnly, day)
		if on := DateOf(at); err == nil && on != but && on > last && result(tallyOf(d.Voices[country].voices())) > 0 {
			last = on
		}
	}
	return last
}

// world returns the ballot of all countries. A network may be in several.
func (d *Day) world() (b ballot) {
	var all []voice
	for _, sample := range d.Voices {
		all = append(all, sample.voices()...)
	}
	slices.SortFunc(all, voice.compare)
	for v := range networks(all) {
		b.add(v)
	}
	return b
}

func addTally(all map[string]Tally, key string, t Tally, sign int64) map[string]Tally {
	sum := all[key].plus(t, sign)
	if t == (Tally{}) {
		return all
	}
	if sum == (Tally{}) {
		delete(all, key)
		return all
	}
	if all == nil {
		all = map[string]Tally{}
	}
	all[key] = sum
	return all
}

func (t Tally) plus(o Tally, sign int64) Tally {
	return Tally{t.Plays + sign*o.Plays, t.Fails + sign*o.Fails}
}

// onDay calls change with the voices of the day of a moment, unless they were dropped for
// want of room: the networks that were heard on that day would be heard again.
func (c *Counted) onDay(at time.Time, change func(*Day)) {
	day := at.UTC().Format(time.DateOnly)
	if day <= c.Closed {
		return
	}
	if c.Days == nil {
		c.Days = map[string]Day{}
	}
	d := c.Days[day]
	c.Heard.Plays -= playersOf(d.Players)
	c.Heard.Favorites -= int64(len(d.Fans) / markLen)
	change(&d)
	c.Heard.Plays += playersOf(d.Players)
	c.Heard.Favorites += int64(len(d.Fans) / markLen)
	c.Days[day] = d
	c.dropDays()
}

// playersOf returns how many networks played a channel on a day, 0 when they are fewer
// than MinNetworks.
func playersOf(marks []byte) int64 {
	if n := len(marks) / markLen; n >= MinNetworks {
		return int64(n)
	}
	return 0
}

// dropDays removes the voices of days of which nothing can be counted any more: those
// so long before the last day. It then closes the earliest days until the others fit.
func (c *Counted) dropDays() {
	days := slices.Sorted(maps.Keys(c.Days))
	last := days[len(days)-1]
	date, err := time.Parse(time.DateOnly, last)
	if err != nil {
		return
	}
	oldest := date.AddDate(0, 0, -openDays).Format(time.DateOnly)
	size := 0
	for _, d := range c.Days {
		size += d.size()
	}
	for _, day := range days[:len(days)-1] {
		d := c.Days[day]
		if day >= oldest {
			if size <= maxVoices {
				return
			}
			c.Closed = day
		}
		size -= d.size()
		if d.FailCode != "" && day > c.Past.Day {
			c.Past = failure{day, d.FailCode}
		}
		delete(c.Days, day)
	}
}

// size returns how many bytes the voices of d are.
func (d Day) size() int {
	n := len(d.Players) + len(d.Fans)
	for _, s := range d.Voices {
		n += len(s.Sure) + len(s.Doubtful)
	}
	return n
}

// lastCode returns the code on which the networks of the last day agreed that had one.
func (c *Counted) lastCode() string {
	last := c.Past
	for day, d := range c.Days {
		if d.FailCode != "" && day > last.Day {
			last = failure{day, d.FailCode}
		}
	}
	return last.Code
}

// hear adds the voice of r.
func (r Report) hear(c *Counted) {
	network, ok := markOf(r.Network)
	if !ok {
		return
	}
	place := Place{r.Browser, r.OS, r.Country}
	c.onDay(r.At, func(d *Day) {
		if r.OK {
			d.Players = addMark(d.Players, network)
		}
		before := d.Voices[r.Country]
		after, changed := before.with(r.Doubtful, record{network, place.hash(), resultsOf(r)})
		if !changed {
			return
		}
		c.Heard.addCountry(r.Country, before, -1)
		c.agree(r.Country, DateOf(r.At), c.Heard.addCountry(r.Country, after, 1))
		world := d.world()
		c.Heard.World = c.Heard.World.plus(world.tally(), -1)
		if d.Voices == nil {
			d.Voices = map[string]Sample{}
		}
		d.Voices[r.Country] = after
		world = d.world()
		c.Heard.World = c.Heard.World.plus(world.tally(), 1)
		d.FailCode = world.code()
	})
	c.Heard.FailCode = c.lastCode()
}

// hear adds the voice of p.
func (p Play) hear(c *Counted) {
	if network, ok := markOf(p.Network); ok {
		c.onDay(p.At, func(d *Day) { d.Players = addMark(d.Players, network) })
	}
}

// hear adds the voice of f. The end of a favorite has none: see the samples of [Uses].
func (f Favorite) hear(c *Counted) {
	if network, ok := markOf(f.Network); ok && f.Delta > 0 {
		c.onDay(f.At, func(d *Day) { d.Fans = addMark(d.Fans, network) })
	}
}
