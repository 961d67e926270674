package jobs

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/logo"
)

// A plan is what a run of the job logos has to do.
type plan struct {
	channels int      // that name a source
	due      int      // sources to be asked
	lanes    [][]task // of one host each, at most two of a host: they are asked side by side

	lost, moved int                    // channels whose logo goes, and those that take over one
	changes     map[string]*logo.State // of both, before anyone is asked
}

// A task is a source to be asked, for all the channels that name it.
type task struct {
	address  string
	source   string // logo.SourceID of address
	host     string
	evidence bool // it should answer: what it does tells of our own network
	channels []holder
	plays    int64 // of the channel that is played most
}

// A holder is a channel that names a source.
type holder struct {
	id    string
	state logo.State
}

// plan compares the catalog with the books. A blocked channel's logo stays as it
// is, so that it is there when the block goes. One that has another id now takes
// over what is known of it.
func (r *logoRun) plan(v *index.View) *plan {
	p := &plan{changes: map[string]*logo.State{}}
	tasks, named, earlier := map[string]*task{}, map[string]bool{}, r.earlier(v)
	for _, rec := range v.Index().Records() {
		if rec.LogoSource == "" {
			continue
		}
		p.channels++
		named[rec.ID] = true
		state, known := r.ledger.States[rec.ID]
		if had, ok := earlier[rec.ID]; ok && !known {
			state, p.changes[rec.ID] = had, &had
			p.moved++
		}
		source := logo.SourceID(rec.LogoSource)
		if _, shown := v.Brief(rec.ID); !shown || !state.Due(source, r.Now()) {
			continue
		}
		t := tasks[rec.LogoSource]
		if t == nil {
			t = r.task(rec.LogoSource, source)
			tasks[rec.LogoSource] = t
		}
		t.channels = append(t.channels, holder{rec.ID, state})
		t.plays = max(t.plays, r.plays(rec.ID))
		t.evidence = t.evidence && state.Failures == 0
	}
	for channel := range r.ledger.States {
		if !named[channel] {
			p.changes[channel] = nil
			p.lost++
		}
	}
	p.lost -= p.moved
	p.due = len(tasks)
	p.lanes = lanes(tasks)
	return p
}

// earlier returns what the books have by ids that channels once had, by those
// that they have now.
func (r *logoRun) earlier(v *index.View) map[string]logo.State {
	states := map[string]logo.State{}
	for channel, s := range r.ledger.States {
		now, shown := v.Current(channel)
		if shown && now != channel && s.Checked >= states[now].Checked {
			states[now] = s
		}
	}
	return states
}

func (r *logoRun) task(address, source string) *task {
	t := &task{address: address, source: source}
	if u, err := url.Parse(address); err == nil {
		t.host = strings.ToLower(u.Hostname())
		t.evidence = !slices.Contains(r.Own, u.Host)
	}
	return t
}

// plays returns how often a channel has been played.
func (r *logoRun) plays(channel string) int64 {
	if c, ok := r.Plays.Counts(channel); ok {
		return c.Plays + c.Played
	}
	return 0
}

// perHost is how many requests go to a host at a time.
const perHost = 2

// lanes puts tasks in order, those of a host on lanes of its own.
func lanes(tasks map[string]*task) [][]task {
	list := make([]*task, 0, len(tasks))
	for _, t := range tasks {
		list = append(list, t)
	}
	slices.SortFunc(list, compareTasks)
	var out [][]task
	at, count := map[string][]int{}, map[string]int{} // by host: its lanes, and how many tasks it has
	for _, t := range list {
		if len(at[t.host]) < perHost {
			at[t.host] = append(at[t.host], len(out))
			out = append(out, nil)
		}
		n := at[t.host][count[t.host]%perHost]
		count[t.host]++
		out[n] = append(out[n], *t)
	}
	return out
}

// compareTasks orders tasks: the new ones first, of them those that are played
// most, then those due for longest.
func compareTasks(a, b *task) int {
	x, y := a.channels[0].state, b.channels[0].state
	return cmp.Or(
		cmp.Compare(min(x.Checked, 1), min(y.Checked, 1)),
		cmp.Compare(b.plays, a.plays),
		cmp.Compare(x.Next, y.Next),
		cmp.Compare(a.source, b.source))
}

// conditional returns the validators of what all the channels of a task have.
func (t *task) conditional() (etag, modified string) {
	first := t.channels[0].state
	for _, c := range t.channels {
		if c.state.Source != t.source || c.state.Logo != first.Logo || c.state.ETag != first.ETag || c.state.Modified != first.Modified {
			return "", ""
		}
	}
	return first.Validators(t.source)
}
