package social

import (
	"time"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/fact"
	"miramundo.dev/shared/store"
)

// Book is where the facts of this package are counted: in the counts of their
// channel. To count something new of a channel, add its type here.
var Book = fact.Book[*Counted]{
	Collection: "counts",
	New:        func(channel string) *Counted { return &Counted{Channel: channel} },
	Kinds: []fact.Kind[*Counted]{
		fact.Of(Plays, count[Play]),
		fact.Of(Latencies, count[Latency]),
		fact.Of(Reports, count[Report]),
		fact.Of(Favorites, count[Favorite]),
		fact.Of(Comments, count[Comment]),
	},
}

// Topology returns the topics of what people do, with their subscriptions.
func Topology() bus.Topology { return Book.Topology() }

// A Countable is a fact that changes the counts of a channel.
type Countable interface {
	fact.Fact
	count(*Counts)
}

func count[F Countable](c *Counted, f F) { c.Apply(f) }

// Apply adds what f says to c, its counts and its voices: see [Counts.Apply]. A fact
// without the name of its network has no voice.
func (c *Counted) Apply(f Countable) {
	f.count(&c.Counts)
	if v, ok := f.(voiced); ok {
		v.hear(c)
	}
}

// A voiced fact is one in which a network speaks.
type voiced interface{ hear(*Counted) }

// Apply adds what f says to c, except to what is Heard. Facts may be applied in any
// order; the counts are the same, as long as the environments are fewer than are kept.
// The sums of all environments are the same in any case. The caller must apply each
// fact once.
func (c *Counts) Apply(f Countable) { f.count(c) }

// About implements [fact.Fact].
func (p Play) About() fact.About {
	return fact.About{Topic: Plays, Key: p.Key, Subject: p.Channel, At: p.At}
}

// About implements [fact.Fact].
func (l Latency) About() fact.About {
	return fact.About{Topic: Latencies, Key: l.Key, Subject: l.Channel, At: l.LastAt}
}

// About implements [fact.Fact].
func (r Report) About() fact.About {
	return fact.About{Topic: Reports, Key: r.Key, Subject: r.Channel, At: r.At}
}

// About implements [fact.Fact].
func (f Favorite) About() fact.About {
	return fact.About{Topic: Favorites, Key: f.Key, Subject: f.Channel, At: f.At}
}

// About implements [fact.Fact].
func (c Comment) About() fact.About {
	return fact.About{Topic: Comments, Key: c.Key, Subject: c.Channel, At: c.At}
}

func (p Play) count(c *Counts) { c.Played++ }

func (l Latency) count(c *Counts) {
	if c.Latency == nil {
		c.Latency = map[string]Wait{}
	}
	w := c.Latency[l.Country]
	w.Samples += int64(l.Samples)
	w.SumMS += l.SumMS
	w.LastAt = later(w.LastAt, l.LastAt)
	c.Latency[l.Country] = w
}

func (r Report) count(c *Counts) {
	if r.OK {
		c.Plays++
		c.LastOKAt = later(c.LastOKAt, r.At)
	} else {
		c.Fails++
		c.LastFailAt, c.LastFailCode = lastFail(c.LastFailAt, c.LastFailCode, r)
		c.addReason(r)
	}
	c.addEnvironment(Place{r.Browser, r.OS, r.Country}, environmentOf(r))
}

func (f Favorite) count(k *Counts) { k.Favorites += int64(f.Delta) }

func (c Comment) count(k *Counts) { k.Comments += int64(c.Delta) }

// lastFail returns when and why the last of some failures was, r among them.
// Of two at one moment the greater code counts, whichever came first.
func lastFail(at store.Time, code string, r Report) (store.Time, string) {
	t := store.At(r.At)
	if t.After(at.Time) || t.Equal(at.Time) && r.Code > code {
		return t, r.Code
	}
	return at, code
}

func (c *Counts) addReason(r Report) {
	if c.Reasons == nil {
		c.Reasons = map[string]Reason{}
	}
	why := c.Reasons[r.Code]
	c.Reasons[r.Code] = Reason{why.Count + 1, later(why.LastAt, r.At)}
}

// environmentOf returns the environment that has r alone.
func environmentOf(r Report) Environment {
	at := store.At(r.At)
	if r.OK {
		return Environment{Plays: 1, LastAt: at}
	}
	return Environment{Fails: 1, LastFailCode: r.Code, LastFailAt: at, LastAt: at}
}

// later returns the later of two moments.
func later(a store.Time, b time.Time) store.Time {
	if t := store.At(b); t.After(a.Time) {
		return t
	}
	return a
}
