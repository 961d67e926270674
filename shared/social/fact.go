package social

import (
	"crypto/sha256"
	"time"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/store"
)

// A Fact is an event as those who count see it. Play, Latency, Report,
// Favorite and Comment are facts.
type Fact interface {
	about() About
	count(*Counts)
}

// About is what all facts tell.
type About struct {
	Topic   string
	Key     string // of one fact among those of its topic
	Channel string
	At      time.Time
}

// A Mark is what is kept of a key once it is counted. Of 100,000 facts of a
// channel and day two have one mark with a probability of 3 in 10,000,000,000.
type Mark [8]byte

// Mark returns the mark of a's fact.
func (a About) Mark() Mark {
	sum := sha256.Sum256([]byte(a.Topic + "\x00" + a.Key))
	return Mark(sum[:len(Mark{})])
}

// Day returns the day of a's fact, in UTC, as 2006-01-02.
func (a About) Day() string { return a.At.UTC().Format(time.DateOnly) }

// AboutOf returns what f tells as all facts do.
func AboutOf(f Fact) About { return f.about() }

// facts reads the events of each subscription.
var facts = map[string]func(bus.Event) (Fact, error){
	Plays:     factOf[Play],
	Latencies: factOf[Latency],
	Reports:   factOf[Report],
	Favorites: factOf[Favorite],
	Comments:  factOf[Comment],
}

// FactOf returns the fact that an event of a subscription tells of, or
// bus.ErrEvent, or bus.ErrSubscription.
func FactOf(subscription string, e bus.Event) (Fact, error) {
	read, ok := facts[subscription]
	if !ok {
		return nil, bus.ErrSubscription.With("subscription", subscription)
	}
	return read(e)
}

func factOf[T interface {
	Fact
	check() error
}](e bus.Event) (Fact, error) {
	f, err := decode[T](e)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (p Play) about() About    { return About{Plays, p.Key, p.Channel, p.At} }
func (l Latency) about() About { return About{Latencies, l.Key, l.Channel, l.LastAt} }
func (r Report) about() About  { return About{Reports, r.Key, r.Channel, r.At} }

// Apply adds what f tells to c. Who applies facts in another order comes to
// the same counts, as long as the environments are fewer than are kept; the
// sums of all environments are the same in any case. To apply a fact once is
// the caller's care.
func (c *Counts) Apply(f Fact) { f.count(c) }

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

// lastFail returns when and why the last of some failures was, r among them.
// Of two at one moment the code decides, whichever came first.
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
