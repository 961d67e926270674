package feed

import (
	"bytes"
	"compress/gzip"
	"encoding/xml"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// guideOf returns the guide of l.
func guideOf(l *List) []byte {
	var b bytes.Buffer
	l.writeGuide(&b)
	return b.Bytes()
}

// showing tells that every channel shows the same.
func showing(list ...Programme) func(string) iter.Seq[Programme] {
	return func(string) iter.Seq[Programme] { return slices.Values(list) }
}

// hostile tells of programmes with the texts of names, and of such as are none.
func hostile(channel string) iter.Seq[Programme] {
	return func(yield func(Programme) bool) {
		if channel != "Channel0.br" && channel != "Channel4.br" {
			return
		}
		at := noon
		for i, name := range slices.Concat(names, []string{"\u200fיומן\u200f", "\ufffe", "\u202e", "a\x7fb", "]]>", "x\uffffy", "no\u00a0break"}) {
			p := Programme{Start: at, Stop: at.Add(30 * time.Minute), Title: name, Desc: names[len(names)-1-i%len(names)], Category: name}
			at = p.Stop
			if !yield(p) {
				return
			}
		}
		for _, p := range []Programme{{at, at, "no length", "", ""}, {at.Add(time.Hour), at, "backwards", "", ""}, {}} {
			if !yield(p) {
				return
			}
		}
	}
}

// plain tells what Aurora shows over midnight, in zones of two kinds.
func plain(channel string) iter.Seq[Programme] {
	if channel != "Aurora.br" {
		return showing()(channel)
	}
	midnight, brt := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC), time.FixedZone("", -3*3600)
	return showing(
		Programme{midnight.Add(-time.Hour), midnight.Add(30 * time.Minute), "Jornal & Notícias", "As notícias <do dia>.\nSegunda linha.", "News"},
		Programme{midnight.Add(30 * time.Minute).In(brt), midnight.Add(2 * time.Hour).In(brt), "Filme: \"Ouro\"", "", ""},
	)(channel)
}

// An xmltv is a guide as readers see it.
type xmltv struct {
	Channels []struct {
		ID    string   `xml:"id,attr"`
		Names []string `xml:"display-name"`
	} `xml:"channel"`
	Programmes []struct {
		Channel  string `xml:"channel,attr"`
		Start    string `xml:"start,attr"`
		Stop     string `xml:"stop,attr"`
		Title    string `xml:"title"`
		Desc     string `xml:"desc"`
		Category string `xml:"category"`
	} `xml:"programme"`
}

// fits reports whether each programme is of a channel, has a title and a length
// and stands in one line.
func (g *xmltv) fits() bool {
	for _, p := range g.Programmes {
		known := slices.ContainsFunc(g.Channels, func(c struct {
			ID    string   `xml:"id,attr"`
			Names []string `xml:"display-name"`
		}) bool {
			return c.ID == p.Channel
		})
		if !known || p.Title == "" || p.Start >= p.Stop || strings.ContainsAny(p.Title+p.Desc+p.Category, "\r\n\t") {
			return false
		}
	}
	return true
}

func readGuide(t testing.TB, data []byte) (g xmltv) {
	t.Helper()
	if err := xml.Unmarshal(data, &g); err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	return g
}

// TestProgrammes reads back what channels show: under the id that the list has,
// in its order, after all channels, and of these channels alone.
func TestProgrammes(t *testing.T) {
	l := mixed()
	l.Entries = append(l.Entries, l.Entries[0]) // a second time
	l.Programmes = func(channel string) iter.Seq[Programme] {
		return showing(
			Programme{noon, noon.Add(time.Hour), channel + " 1", "Text", ""},
			Programme{noon.Add(time.Hour), noon.Add(2 * time.Hour), channel + " 2", "", "Kind"},
		)(channel)
	}
	data := guideOf(l)
	if first, last := bytes.Index(data, []byte("<programme ")), bytes.LastIndex(data, []byte("<channel ")); first < last {
		t.Error("a channel comes after a programme")
	}
	g := readGuide(t, data)
	var got, want []string
	for _, p := range g.Programmes {
		got = append(got, strings.Join([]string{p.Channel, p.Start, p.Stop, p.Title, p.Desc, p.Category}, "|"))
	}
	for _, c := range g.Channels {
		id, _, _ := strings.Cut(c.ID, "@")
		want = append(want, c.ID+"|20261122120000 +0000|20261122130000 +0000|"+id+" 1|Text|", c.ID+"|20261122130000 +0000|20261122140000 +0000|"+id+" 2||Kind")
	}
	if len(g.Channels) != 8 {
		t.Errorf("%d channels: %+v", len(g.Channels), g.Channels)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestHostileProgrammes checks that texts which no reader could take are left
// out or made readable.
func TestHostileProgrammes(t *testing.T) {
	g := readGuide(t, guideOf(sample()))
	var titles []string
	for _, p := range g.Programmes {
		if p.Channel == "Channel4.br@SD" {
			titles = append(titles, p.Title)
		}
	}
	if !g.fits() || len(titles) != len(names)+7-2 { // without the blank name, and that of direction alone
		t.Errorf("%d titles: %q", len(titles), titles)
	}
	for _, bad := range []string{"no length", "backwards"} {
		if slices.Contains(titles, bad) {
			t.Errorf("%q is a programme", bad)
		}
	}
	for _, good := range []string{"]]>", "x\ufffdy", "no break", "]]><b>&amp;</b>", "\u200fיומן\u200f", "\ufffd", "line #EXTINF:-1,two"} {
		if !slices.Contains(titles, good) {
			t.Errorf("%q is not in %q", good, titles)
		}
	}
}

// TestArchived unpacks a guide: it is the guide, of the size that is told, and
// the same each time until a programme changes.
func TestArchived(t *testing.T) {
	l := sample()
	packed, size := l.Archived("guia")
	r, err := gzip.NewReader(bytes.NewReader(packed.Data))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(guideOf(l)), string(data)); d != "" || size != int64(len(data)) {
		t.Errorf("%d bytes: %s", size, d)
	}
	if packed.Type != "application/gzip" || packed.File != "guia.xml.gz" || len(packed.Tag) != 32 {
		t.Errorf("%s, %s, tagged %s", packed.Type, packed.File, packed.Tag)
	}
	if again, _ := l.Archived("guia"); again.Tag != packed.Tag {
		t.Error("a second archive of the same list differs")
	}
	l.Programmes = showing(Programme{noon, noon.Add(time.Hour), "Other", "", ""})
	if other, _ := l.Archived("guia"); other.Tag == packed.Tag {
		t.Error("the archive of another guide has the same tag")
	}
}

// crowded returns a list of as many channels as a library holds, each with
// eighty programmes.
func crowded() *List {
	l := sample()
	entry := l.Entries[0]
	l.Entries = nil
	for i := range 3840 {
		entry.Channel = fmt.Sprintf("Channel%d.br", i)
		entry.GuideID = entry.Channel + "@SD"
		entry.Name = fmt.Sprint("Televisão ", i)
		l.Entries = append(l.Entries, entry)
	}
	l.Programmes = func(channel string) iter.Seq[Programme] {
		return func(yield func(Programme) bool) {
			for i := range 80 {
				at := noon.Add(time.Duration(i) * 30 * time.Minute)
				p := Programme{
					Start: at, Stop: at.Add(30 * time.Minute), Title: strings.TrimSpace(stories[(i+len(channel))%len(stories)][:40]), Category: "Entretenimento",
					Desc: stories[(i*7+len(channel)*3)%len(stories)] + " " + channel,
				}
				if !yield(p) {
					return
				}
			}
		}
	}
	return l
}

// stories are texts as descriptions have them, each of other words.
var stories = func() (list []string) {
	words := strings.Fields("o a uma os notícias jornal cidade família história música verão esporte bola jogo rainha mar rio país domingo noite polícia médico segredo amor viagem estrada cozinha sabor escola jovem velho guerra paz luz sombra tempo vento")
	seed := uint32(1)
	for range 500 {
		var b strings.Builder
		for b.Len() < 160 {
			seed = seed*1664525 + 1013904223
			b.WriteString(words[seed>>16%uint32(len(words))%uint32(len(words))] + " ")
		}
		list = append(list, strings.TrimSpace(b.String()))
	}
	return list
}()

func BenchmarkGuide(b *testing.B) {
	l := crowded()
	b.Run("plain", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			b.SetBytes(l.writeGuide(io.Discard))
		}
	})
	b.Run("archive", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			f, size := l.Archived("guia")
			b.SetBytes(size)
			b.ReportMetric(float64(len(f.Data)), "packed-bytes")
		}
	})
}
