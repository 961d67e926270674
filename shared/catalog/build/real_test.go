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
// before. A stream whose channel, feed and source are the same keeps its id, and
// so does one that moved with its URL within its channel; an id that is gone
// leads to a stream of the same channel and feed, while there is one.
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
	urlOf := map[string]string{} // by stream id
	for i := range next.Records {
		for _, s := range next.Records[i].Streams {
			urlOf[s.ID.String()] = s.URL
		}
	}
	kept, followed, moved, led := 0, 0, 0, 0
	for g, streams := range homes(first.Records) {
		for i, s := range streams {
			id := s.ID.String()
			switch now, there := groupOf[id]; {
			case there && now != g && now.channel == g.channel && urlOf[id] == s.URL:
				followed++
				continue
			case there && now != g:
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
	t.Logf("%d ids kept, %d moved with their stream, %d lead to another stream, %d gone with their feed", kept, followed, led, moved)
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

// TestVanished checks that of all channels of the real sources of one week, each
// is shown the week after, leads to a channel that is, or is listed as gone: but
// for those that are adult by then.
func TestVanished(t *testing.T) {
	first, _ := Register(load(t, "catalog-before", false), nil, now)
	ds := load(t, "catalog", false)
	next, _ := Register(ds, first, now)
	adult := map[string]bool{}
	for i := range ds.Channels {
		adult[ds.Channels[i].ID] = ds.Channels[i].NSFW
	}
	shown, led, gone := idsOf(next.Records), 0, 0
	for i := range first.Records {
		id := first.Records[i].ID
		to, leads := next.ChannelAliases[id]
		_, listed := findGone(next.Gone, id)
		switch {
		case shown[id]:
		case leads && shown[to]:
			led++
		case listed:
			gone++
		case !adult[id]:
			t.Errorf("%s, %s, is lost", id, first.Records[i].Name)
		}
	}
	t.Logf("of %d channels that vanished %d lead to another and %d are listed as gone", led+gone, led, gone)
	if led+gone == 0 {
		t.Error("no channel vanished")
	}
}

// TestRealRenames renames and removes real channels and stations by the hundred.
// A renamed one must lead to its new id, and never to another; one that is
// removed may lead only to an entry for the same programme, which few have.
func TestRealRenames(t *testing.T) {
	ds := load(t, "catalog", true)
	first, _ := Register(ds, nil, now)
	shown := idsOf(first.Records)
	next, renamed, removed := disturb(ds, shown)
	reg, _ := Register(next, first, now)
	led := 0
	for id, to := range renamed {
		switch got := reg.ChannelAliases[id]; {
		case got == to || reg.ChannelAliases[to] == got && got != "": // or to the station that absorbed it
			led++
		case got != "":
			t.Errorf("%s was renamed to %s, but leads to %s", id, to, got)
		}
	}
	wrong := 0
	for id := range removed {
		to, leads := reg.ChannelAliases[id]
		_, listed := findGone(reg.Gone, id)
		if leads && shown[to] {
			wrong++
		}
		if !leads && !listed {
			t.Errorf("%s was removed, but is not listed as gone", id)
		}
	}
	t.Logf("%d of %d renamed ids lead on; %d of %d that were removed lead elsewhere", led, len(renamed), wrong, len(removed))
	if len(renamed) < 1000 || led*100 < len(renamed)*99 {
		t.Errorf("only %d of %d renamed ids lead on", led, len(renamed))
	}
	if len(removed) < 1000 || wrong*20 > len(removed) {
		t.Errorf("%d of %d ids that were removed lead elsewhere", wrong, len(removed))
	}
}

// disturb returns a copy of ds in which every 40th channel with a stream and
// every 40th station has another id, and every 41st is removed.
func disturb(ds *source.Dataset, shown map[string]bool) (next *source.Dataset, renamed map[string]string, removed map[string]bool) {
	cut := *ds
	renamed, removed = map[string]string{}, map[string]bool{}
	streamed := map[string]bool{}
	for i := range ds.Streams {
		streamed[ds.Streams[i].Channel] = true
	}
	cut.Channels, cut.Streams, cut.Stations = nil, nil, nil
	for i, c := range ds.Channels {
		switch id := c.ID; {
		case i%40 == 0 && streamed[id] && shown[id]:
			c.ID = "New" + id
			renamed[id] = c.ID
		case i%41 == 0 && shown[id]:
			removed[id] = true
			continue
		}
		cut.Channels = append(cut.Channels, c)
	}
	for _, s := range ds.Streams {
		if to, ok := renamed[s.Channel]; ok {
			s.Channel = to
		}
		if !removed[s.Channel] {
			cut.Streams = append(cut.Streams, s)
		}
	}
	for i, s := range ds.Stations {
		switch id := stationPrefix + s.UUID; {
		case i%40 == 0 && shown[id]:
			s.UUID = uuid(i)
			renamed[id] = stationPrefix + s.UUID
		case i%41 == 0 && shown[id]:
			removed[id] = true
			continue
		}
		cut.Stations = append(cut.Stations, s)
	}
	return &cut, renamed, removed
}
