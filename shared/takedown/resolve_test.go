package takedown

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/block"
	"miramundo.dev/shared/catalog/index"
)

// view is a catalog with two channels, one of which is blocked.
func view(t testing.TB) *index.View {
	t.Helper()
	streams := func(from int, urls ...string) (all []catalog.StreamRecord) {
		for i, u := range urls {
			all = append(all, catalog.StreamRecord{ID: catalog.StreamID(from + i), URL: u, Kind: catalog.StreamHLS, Origin: "iptv-org", Playable: true})
		}
		return all
	}
	ix, err := index.Build(&catalog.Register{BuiltAt: noon, ChannelAliases: map[string]string{"Older.br": "Aurora.br"}, Records: []catalog.Record{
		{ID: "Aurora.br", Name: "Aurora", Country: "BR", Origin: "iptv-org", Streams: streams(1, "https://cdn.evil.example/a/x.m3u8?k=1", "http://evil.example:8080/b")},
		{ID: "Hidden.br", Name: "Hidden", Country: "BR", Origin: "iptv-org", Streams: streams(3, "https://good.example/x.m3u8", "https://cdn.evil.example/a/x.m3u8?k=1")},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return index.NewView(ix, index.Overlay{BlockedChannels: []string{"Hidden.br"}}, catalog.LinkBase{Base: "https://mira.example", Hop: "https://hop.example"})
}

func TestResolve(t *testing.T) {
	id := func(n int) string { return catalog.StreamID(n).String() }
	channel := func(given, id, name string) Target {
		return Target{Given: given, Kind: block.Channel, Value: id, Name: name}
	}
	one := func(given string, n int) Target { return Target{Given: given, Kind: block.Stream, Value: id(n)} }
	host := func(given, name string, streams int) Target {
		return Target{Given: given, Kind: block.Host, Value: name, Streams: streams}
	}
	unknown := func(given string) Target { return Target{Given: given} }
	for _, test := range []struct {
		given string
		want  []Target
	}{
		{"Aurora.br", []Target{channel("Aurora.br", "Aurora.br", "Aurora")}},
		{" Aurora.br\t", []Target{channel("Aurora.br", "Aurora.br", "Aurora")}},
		{"Older.br", []Target{channel("Older.br", "Aurora.br", "Aurora")}},
		{"Hidden.br", []Target{channel("Hidden.br", "Hidden.br", "Hidden")}},
		{"https://mira.example/de/sender/Aurora.br?x=1#y", []Target{channel("https://mira.example/de/sender/Aurora.br?x=1#y", "Aurora.br", "Aurora")}},
		{"https://MIRA.example/canal/Nobody.br", []Target{unknown("https://MIRA.example/canal/Nobody.br")}},
		{id(2), []Target{one(id(2), 2)}},
		{"https://hop.example/api/s/" + id(3) + ".m3u8", []Target{one("https://hop.example/api/s/"+id(3)+".m3u8", 3)}},
		{"https://cdn.evil.example/a/x.m3u8?k=1", []Target{one("https://cdn.evil.example/a/x.m3u8?k=1", 1), one("https://cdn.evil.example/a/x.m3u8?k=1", 4)}},
		{"https://cdn.evil.example/other", []Target{host("https://cdn.evil.example/other", "cdn.evil.example", 2)}},
		{"EVIL.example.", []Target{host("EVIL.example.", "evil.example", 3)}},
		{"example", []Target{unknown("example")}},
		{"vil.example", []Target{unknown("vil.example")}},
		{"mira.example", []Target{unknown("mira.example")}},
		{"https://hop.example/", []Target{unknown("https://hop.example/")}},
		{"https://else.example/x", []Target{unknown("https://else.example/x")}},
		{"javascript:alert(1)", []Target{unknown("javascript:alert(1)")}},
		{"http://[::1", []Target{unknown("http://[::1")}},
		{"http://user:pass@evil.example/", []Target{host("http://user:pass@evil.example/", "evil.example", 3)}},
		{"../../etc/passwd", []Target{unknown("../../etc/passwd")}},
		{"a\x00b", []Target{unknown("a\x00b")}},
		{strings.Repeat("x.", 250), []Target{unknown(strings.Repeat("x.", 250))}},
		{"<script>", []Target{unknown("<script>")}},
	} {
		if diff := cmp.Diff(test.want, Resolve(view(t), []string{test.given})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.given, diff)
		}
	}
}

// TestResolveMany checks that each object is named once, and that there is a bound.
func TestResolveMany(t *testing.T) {
	v := view(t)
	got := Resolve(v, []string{"Aurora.br", "Older.br", "https://mira.example/c/Aurora.br", "evil.example", "EVIL.example", "what", "what"})
	want := []Target{
		{Given: "Aurora.br", Kind: block.Channel, Value: "Aurora.br", Name: "Aurora"},
		{Given: "evil.example", Kind: block.Host, Value: "evil.example", Streams: 3},
		{Given: "what"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var many []string
	for i := range 2 * MaxTargets {
		many = append(many, fmt.Sprint("nobody", i))
	}
	if got := Resolve(v, many); len(got) != MaxTargets {
		t.Errorf("%d targets", len(got))
	}
}
