package release

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
)

// TestSums changes every field of a record and of a stream in turn: each must
// be seen as a change.
func TestSums(t *testing.T) {
	base := catalog.Record{Radio: &catalog.Radio{}}
	for f := range reflect.TypeFor[catalog.Record]().Fields() {
		if f.Name == "Streams" || f.Name == "Radio" {
			continue
		}
		r := base
		change(t, reflect.ValueOf(&r).Elem().FieldByName(f.Name))
		if sumOf(&r) == sumOf(&base) {
			t.Errorf("a change of %s is not seen", f.Name)
		}
	}
	for f := range reflect.TypeFor[catalog.Radio]().Fields() {
		radio := catalog.Radio{}
		change(t, reflect.ValueOf(&radio).Elem().FieldByName(f.Name))
		r := catalog.Record{Radio: &radio}
		moving := f.Name == "Votes" || f.Name == "Clicks"
		if same := sumOf(&r) == sumOf(&base); same != moving {
			t.Errorf("a change of %s: the same is %v, want %v", f.Name, same, moving)
		}
	}
	for f := range reflect.TypeFor[catalog.StreamRecord]().Fields() {
		s := catalog.StreamRecord{}
		change(t, reflect.ValueOf(&s).Elem().FieldByName(f.Name))
		if sumOfStream(&s) == sumOfStream(&catalog.StreamRecord{}) {
			t.Errorf("a change of a stream's %s is not seen", f.Name)
		}
	}
	if a, b := (&catalog.Record{AltNames: []string{"a", "b"}}), (&catalog.Record{AltNames: []string{"a"}, FeedNames: []catalog.FeedName{{Feed: "b"}}}); sumOf(a) == sumOf(b) {
		t.Error("a name that moves to another list is not seen")
	}
}

// TestRemembered checks that a reload gets what it needs to lead ids on: what
// names the records of the release before, and what was gone by then.
func TestRemembered(t *testing.T) {
	gone := []catalog.Gone{{ID: "Gone.br", Name: "Gone", Country: "BR", Reason: catalog.GoneVanished, Since: "2026-01-02", ReplacedBy: "A.br"}}
	aliases := map[string]string{"Old.br": "A.br"}
	a := catalog.Record{
		ID: "A.br", Kind: catalog.Station, Name: "A", AltNames: []string{"Alpha"}, Country: "BR", Website: "https://a.example/", ReplacedBy: "B.br",
		Streams: []catalog.StreamRecord{{ID: 7, URL: "https://a.example/1", Feed: "SD", Origin: "iptv-org"}},
	}
	stored := a
	stored.Owners, stored.Network = []string{"Owner"}, "Network" // which name nothing
	ix, err := index.Build(&catalog.Register{Records: []catalog.Record{stored}, ChannelAliases: aliases, Gone: gone})
	if err != nil {
		t.Fatal(err)
	}
	want := &catalog.Register{Records: []catalog.Record{a}, ChannelAliases: aliases, Gone: gone}
	if d := cmp.Diff(want, Remember(ix).Register, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func change(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(1)
	case reflect.Float64:
		v.SetFloat(1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	default:
		t.Fatalf("no way to change a %s", v.Kind())
	}
}
