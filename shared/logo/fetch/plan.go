package fetch

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/logo"
)

// A plan is the work of a run.
type plan struct {
	channels int      // that have a source
	due      int      // sources to request
	lanes    [][]task // each of one host, at most two for a host; a lane has one request at a time

	lost, moved int                    // channels that lose their logo, and channels that inherit one
	changes     map[string]*logo.State // of both, stored before the first request
}

// A task is a source to request, for all the channels that name it.
type task struct {
	address  string
	source   string // logo.SourceID of address
	host     string
	evidence bool // it should answer, so whether it does says something about our own network
	channels []holder
	plays    int64 // of the channel played most
}

// A holder is a channel that names a source.
type holder struct {
	id    string
	state logo.State
}

// plan compares the catalog with the ledger. The logo of a blocked channel stays
// as it is, so that it is there when the block is lifted. A channel whose id has
// changed takes over the state of its former id.
func (r *run) plan(v *index.View) *plan {
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
		if _, shown := v.Summary(rec.ID); !shown || !state.Due(source, r.Now()) {
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

// earlier returns the states that the ledger has under former ids of channels,
// by the current ids.
func (r *run) earlier(v *index.View) map[string]logo.State {
	states := map[string]logo.State{}
	for channel, s := range r.ledger.States {
		now, shown := v.Current(channel)
		if shown && now != channel && s.Checked >= states[now].Checked {
			states[now] = s
		}
	}
	return states
}

// task returns a task without channels for the source at an address.
func (r *run) task(address, source string) *task {
	t := &task{address: address, source: source}
	if u, err := url.Parse(address); err == nil {
		t.host = strings.ToLower(u.Hostname())
		t.evidence = !slices.Contains(r.Own, u.Host)
	}
	return t
}

// plays returns how often a channel was played, 0 when that is unknown.
func (r *run) plays(channel string) int64 {
	if r.Plays == nil {
		return 0
	}
	return r.Plays(channel)
}

// perHost is how many requests go to a host at a time.
const perHost = 2

// lanes sorts tasks, and distributes those of each host over its lanes.
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

// compareTasks orders tasks: the new ones first, among them those played most,
// then those due for longest.
func compareTasks(a, b *task) int {
	x, y := a.channels[0].state, b.channels[0].state
	return cmp.Or(
		cmp.Compare(min(x.Checked, 1), min(y.Checked, 1)),
		cmp.Compare(b.plays, a.plays),
		cmp.Compare(x.Next, y.Next),
		cmp.Compare(a.source, b.source))
}

// conditional returns the validators of the file that all the channels of a task
// have, or none when they differ.
func (t *task) conditional() (etag, modified string) {
	first := t.channels[0].state
	for _, c := range t.channels {
		if c.state.Source != t.source || c.state.Logo != first.Logo || c.state.ETag != first.ETag || c.state.Modified != first.Modified {
			return "", ""
		}
	}
	return first.Validators(t.source)
}
