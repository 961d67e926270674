package social

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/fact"
)

var (
	liked = Favorite{Key: strings.Repeat("0f", 16), Channel: "RecordNews.br", Delta: 1, At: at}
	said  = Comment{Key: strings.Repeat("a1", 16), Channel: "RecordNews.br", Delta: -1, At: at}
)

// TestOpinionWire holds the events to the text that readers of other versions
// know.
func TestOpinionWire(t *testing.T) {
	for name, test := range map[string]struct {
		encode func() (bus.Event, error)
		want   string
	}{
		"favorite": {liked.Event, `{"v":1,"body":{"key":"0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f","channel":"RecordNews.br","delta":1,"at":"2026-11-22T23:59:59Z"}}`},
		"comment":  {said.Event, `{"v":1,"body":{"key":"a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1","channel":"RecordNews.br","delta":-1,"at":"2026-11-22T23:59:59Z"}}`},
	} {
		e, err := test.encode()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(test.want, string(e.Data)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestOpinionCounts counts changes of favorites and comments.
func TestOpinionCounts(t *testing.T) {
	c := Counts{Comments: 3}
	c.Apply(liked)
	c.Apply(liked)
	c.Apply(Favorite{Delta: -1})
	c.Apply(said)
	if diff := cmp.Diff(Counts{Favorites: 1, Comments: 2}, c); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	want := fact.About{Topic: "comments", Key: said.Key, Subject: "RecordNews.br", At: at}
	if got := said.About(); got != want {
		t.Errorf("about %v", got)
	}
}

// TestOpinionRefusals makes each field what it cannot be: the event is neither
// written nor read.
func TestOpinionRefusals(t *testing.T) {
	for name, spoil := range map[string]func(*Favorite){
		"no key":           func(f *Favorite) { f.Key = "" },
		"long key":         func(f *Favorite) { f.Key += "00" },
		"key of other":     func(f *Favorite) { f.Key = strings.Repeat("0F", 16) },
		"no channel":       func(f *Favorite) { f.Channel = "" },
		"channel of paths": func(f *Favorite) { f.Channel = "a/b" },
		"no change":        func(f *Favorite) { f.Delta = 0 },
		"many at once":     func(f *Favorite) { f.Delta = MaxComments + 1 },
		"many away":        func(f *Favorite) { f.Delta = -1 << 40 },
		"no moment":        func(f *Favorite) { f.At = time.Time{} },
		"an address":       func(f *Favorite) { f.Network = "192.0.2.1" },
	} {
		f := liked
		spoil(&f)
		if _, err := f.Event(); !errors.Is(err, bus.ErrEvent) {
			t.Errorf("%s: Event = %v, want ErrEvent", name, err)
		}
		if got, err := FavoriteOf(spoiled(t, f)); !errors.Is(err, bus.ErrEvent) || got != (Favorite{}) {
			t.Errorf("%s: FavoriteOf = %v, %v, want ErrEvent", name, got, err)
		}
		if name == "an address" {
			continue // comments have no network
		}
		if got, err := CommentOf(spoiled(t, Comment{f.Key, f.Channel, f.Delta, f.At})); !errors.Is(err, bus.ErrEvent) || got != (Comment{}) {
			t.Errorf("%s: CommentOf = %v, %v, want ErrEvent", name, got, err)
		}
	}
}

// TestManyComments accepts comments that were removed together, and no favorites.
func TestManyComments(t *testing.T) {
	f := liked
	f.Delta = -MaxComments
	if _, err := f.Event(); !errors.Is(err, bus.ErrEvent) {
		t.Errorf("favorites: %v, want ErrEvent", err)
	}
	e, err := Comment{f.Key, f.Channel, f.Delta, f.At}.Event()
	if err != nil {
		t.Fatal(err)
	}
	var c Counts
	got, err := CommentOf(e)
	if c.Apply(got); err != nil || c.Comments != -MaxComments {
		t.Errorf("%d comments, %v", c.Comments, err)
	}
}

// FuzzOpinions checks that what is read can be written, and is then read alike.
func FuzzOpinions(f *testing.F) {
	for _, data := range hostile {
		f.Add([]byte(data))
	}
	for _, encode := range []func() (bus.Event, error){liked.Event, said.Event} {
		e, err := encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(e.Data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if v, err := FavoriteOf(bus.Event{Data: data}); err == nil {
			again(t, v, FavoriteOf)
		}
		if v, err := CommentOf(bus.Event{Data: data}); err == nil {
			again(t, v, CommentOf)
		}
	})
}

// TestNewKey checks that keys are of the form that events have, and differ.
func TestNewKey(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		key := fact.NewKey()
		if err := (Favorite{Key: key, Channel: "x", Delta: 1, At: at}).Check(); err != nil {
			t.Fatal(err)
		}
		seen[key] = true
	}
	if len(seen) != 1000 {
		t.Errorf("%d keys of 1000 differ", len(seen))
	}
}
