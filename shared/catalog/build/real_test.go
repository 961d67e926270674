package build

import (
	"os"
	"testing"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/source"
	"miramundo.dev/shared/source/collect"
)

const realData = "../../../../shared/data/"

// load reads the real sources in a folder, or skips the test.
func load(t testing.TB, folder string, radio bool) *source.Dataset {
	t.Helper()
	if _, err := os.Stat(realData + folder); err != nil {
		t.Skip("no ../shared/data")
	}
	if testing.Short() {
		t.Skip("the real sources take long with the race detector")
	}
	plan := collect.Plan{IPTVOrg: collect.Folder(realData + folder)}
	if radio {
		plan.Radio = plan.IPTVOrg
	}
	ds, err := collect.Load(t.Context(), plan, collect.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return ds
}

// A home is what an id stays with: a channel, a feed and a source.
type home struct{ channel, feed, origin string }

// homes returns the streams of records by their home, in their order.
func homes(records []catalog.Record) map[home][]*catalog.StreamRecord {
	found := map[home][]*catalog.StreamRecord{}
	for i := range records {
		for k := range records[i].Streams {
			s := &records[i].Streams[k]
			at := home{records[i].ID, s.Feed, s.Origin}
			found[at] = append(found[at], s)
		}
	}
	return found
}

// TestNextWeek reloads the real sources of one week over those of the week
// before. A stream whose channel, feed and source are the same keeps its id; an
// id that is gone leads to a stream of the same channel and feed, while there
// is one.
func TestNextWeek(t *testing.T) {
	first, _ := Register(load(t, "catalog-before", false), nil, now)
	next, _ := Register(load(t, "catalog", false), first, now)
	heirs := map[home][]*catalog.StreamRecord{}
	groupOf := map[string]home{} // by stream id
	for g, streams := range homes(next.Records) {
		heirs[g] = streams
		for _, s := range streams {
			groupOf[s.ID.String()] = g
		}
	}
	kept, moved, led := 0, 0, 0
	for g, streams := range homes(first.Records) {
		for i, s := range streams {
			id := s.ID.String()
			switch _, there := groupOf[id]; {
			case there && groupOf[id] != g:
				t.Errorf("%s of group %v is now of %v", id, g, groupOf[id])
			case there:
				kept++
			case len(heirs[g]) == 0:
				moved++ // nothing of its kind is left
			case groupOf[next.StreamAliases[id]] != g:
				t.Errorf("%s of %v is an alias of %q", id, g, next.StreamAliases[id])
			default:
				led++
			}
			if i < len(heirs[g]) && len(heirs[g]) >= len(streams) && groupOf[id] != g {
				t.Errorf("%v has as many streams as before, but lost %s", g, id)
			}
		}
	}
	t.Logf("%d ids kept, %d lead to another stream, %d gone with their feed", kept, led, moved)
	if kept < 10_000 {
		t.Errorf("only %d ids were kept", kept)
	}
}

// BenchmarkRegister builds the register of the real sources, as a first reload
// does and as the next one does.
func BenchmarkRegister(b *testing.B) {
	ds := load(b, "catalog", true)
	first, _ := Register(ds, nil, now)
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			Register(ds, nil, now)
		}
	})
	b.Run("next", func(b *testing.B) {
		for b.Loop() {
			Register(ds, first, now)
		}
	})
}
