package xmltv

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"miramundo.dev/shared/source"
)

// at is a time of the day that the tests are about.
func at(clock string) time.Time {
	t, err := time.Parse("2006-01-02 15:04", "2026-03-14 "+clock)
	if err != nil {
		panic(err)
	}
	return t
}

// news is the programme that most cases say in their own way.
var news = Programme{Channel: "um.br", Start: at("20:00"), Stop: at("20:30"), Title: "Jornal"}

const newsTag = `<programme start="20260314200000 +0000" stop="20260314203000 +0000" channel="um.br">`

// with returns news with a change.
func with(change func(*Programme)) []Programme {
	p := news
	change(&p)
	return []Programme{p}
}

// elements are elements of guides, with what they say.
var elements = []struct {
	name, in string
	want     guide
}{
	{"nothing", ``, guide{}},
	{
		"a channel", `<channel id="um.br"><display-name lang="pt">Um</display-name><display-name>1</display-name><icon src="https://e.com/1.png" width="1"/><icon src="https://e.com/2.png"/><url>https://e.com</url></channel>`,
		guide{Channels: []Channel{{ID: "um.br", Names: []string{"Um", "1"}, Icon: "https://e.com/1.png"}}, Count: source.Count{Items: 1}},
	},
	{
		"a channel with an id only", `<channel id='um.br'/>`,
		guide{Channels: []Channel{{ID: "um.br"}}, Count: source.Count{Items: 1}},
	},
	{
		"channels twice, behind programmes", newsTag + `<title>Jornal</title></programme><channel id="um.br"/><channel id="um.br"/>`,
		guide{Channels: []Channel{{ID: "um.br"}, {ID: "um.br"}}, Programmes: []Programme{news}, Count: source.Count{Items: 3}},
	},
	{
		"a channel without an id", `<channel><display-name>Um</display-name></channel><channel id=" "/><channel id="` + strings.Repeat("x", MaxID+1) + `"/>`,
		guide{Count: source.Count{Skipped: 3}},
	},
	{
		"names that are empty, or many", `<channel id="um.br"><display-name/><display-name> </display-name>` + strings.Repeat(`<display-name>Um</display-name>`, MaxNames+5) + `</channel>`,
		guide{Channels: []Channel{{ID: "um.br", Names: strings.Fields(strings.Repeat("Um ", MaxNames))}}, Count: source.Count{Items: 1}},
	},
	{
		"a programme", `<programme clumpidx="0/1" catchup="1" stop='20260314203000 +0000' start = "20260314200000 +0000"channel="um.br"><desc>D</desc><credits><title>no</title><actor>A<desc>no</desc></actor></credits><title lang="pt">Jornal</title><category>News</category><new/><rating system="x"><value>L</value></rating></programme>`,
		guide{Programmes: with(func(p *Programme) { p.Desc, p.Category, p.Language = "D", "News", "pt" }), Count: source.Count{Items: 1}},
	},
	{
		"attributes twice", `<programme start="20260314200000" start="19990101" stop="20260314203000" channel="um.br" channel="dois.br"><title>Jornal</title></programme>`,
		guide{Programmes: []Programme{news}, Count: source.Count{Items: 1}},
	},
	{
		"programmes that make no sense", `<programme/><programme start="20260314200000"><title>T</title></programme><programme channel="um.br"><title>T</title></programme>` +
			`<programme start="soon" channel="um.br"><title>T</title></programme><programme start="20260314200000" channel="um.br"><title> </title><desc>D</desc></programme>` +
			`<programme start=20260314200000 channel=um.br><title>T</title></programme>`,
		guide{Count: source.Count{Skipped: 6}},
	},
	{
		"no stop, or one that is none", `<programme start="20260314200000" channel="um.br"><title>Jornal</title></programme><programme start="20260314200000" stop="later" channel="um.br"><title>Jornal</title></programme>`,
		guide{Programmes: append(with(func(p *Programme) { p.Stop = time.Time{} }), with(func(p *Programme) { p.Stop = time.Time{} })...), Count: source.Count{Items: 2}},
	},
	{
		"a stop that is too late", `<programme start="20260314200000" stop="20260316200001" channel="um.br"><title>Jornal</title></programme>`,
		guide{Programmes: with(func(p *Programme) { p.Stop = time.Time{} }), Count: source.Count{Items: 1}},
	},
	{
		"a stop that is just not too late", `<programme start="20260314200000" stop="20260316200000" channel="um.br"><title>Jornal</title></programme>`,
		guide{Programmes: with(func(p *Programme) { p.Stop = p.Start.Add(MaxLength) }), Count: source.Count{Items: 1}},
	},
	{
		"a stop before the start", `<programme start="20260314200000" stop="20260314190000" channel="um.br"><title>Jornal</title></programme>`,
		guide{Programmes: with(func(p *Programme) { p.Stop = at("19:00") }), Count: source.Count{Items: 1}},
	},
	{
		"markup in a text", newsTag + `<title><b>Jor</b><i/>nal</title><desc>one<br/> <![CDATA[two <b>&amp;</b> ]]> three<!-- not this --></desc></programme>`,
		guide{Programmes: with(func(p *Programme) { p.Desc = "one two <b>&amp;</b> three" }), Count: source.Count{Items: 1}},
	},
	{
		"white space and control characters", newsTag + "<title>\n\t Jor\u00adnal \u0085\u2028 da&#10;noite&#0;\u00a0 </title></programme>",
		guide{Programmes: with(func(p *Programme) { p.Title = "Jor\u00adnal da noite" }), Count: source.Count{Items: 1}},
	},
	{
		"references", newsTag + "<title>&lt;&gt;&amp;&quot;&apos; &#65;&#x42; &eacute;&nbsp;&hellip; a & b &; &lol; &#xZ; &#x110000; &#xD800;</title></programme>",
		guide{Programmes: with(func(p *Programme) { p.Title = `<>&"' AB é … a & b &; &lol; &#xZ; &#x110000; ` + "\ufffd" }), Count: source.Count{Items: 1}},
	},
	{
		"references in attributes", `<channel id="A&amp;E&#32;&#x31;"><icon src=" https://e.com/?a=1&amp;b=2&c=3 "/></channel>`,
		guide{Channels: []Channel{{ID: "A&E 1", Icon: "https://e.com/?a=1&b=2&c=3"}}, Count: source.Count{Items: 1}},
	},
	{
		"letters of windows-1252", newsTag + "<title>Televis\xe3o \x93hoje\x94</title><desc>s\u00e3o ca\xc3</desc></programme>",
		guide{Programmes: with(func(p *Programme) { p.Title, p.Desc = "Televisão “hoje”", "são ca\ufffd" }), Count: source.Count{Items: 1}},
	},
	{
		"what is not known", `text<x:programme/><group><channel id="no"/></group>` + newsTag + `text<title>Jornal</title>text</programme><!-- <channel id="no"/> --><?php <channel id="no"/> ?>`,
		guide{Programmes: []Programme{news}, Count: source.Count{Items: 1}},
	},
}

func TestElements(t *testing.T) {
	for _, tc := range elements {
		t.Run(tc.name, func(t *testing.T) {
			got, err := readText(`<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE tv SYSTEM "xmltv.dtd"><tv source="x">` + tc.in + "</tv>\n<!-- end -->\n")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&tc.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// texts are parts of a programme, with what is chosen of them for readers of
// Portuguese and for readers of no language.
var texts = []struct{ name, in, portuguese, first string }{
	{"one", `<title lang="en">A</title>`, "A/en", "A/en"},
	{"the second", `<title lang="en">A</title><title lang="pt">B</title><title lang="pt">C</title>`, "B/pt", "A/en"},
	{"a region", `<title>A</title><title lang="pt_BR">B</title>`, "B/pt_BR", "A/"},
	{"a region by the standard", `<title>A</title><title lang="PT-br">B</title>`, "B/PT-br", "A/"},
	{"three letters", `<title lang="por">B</title>`, "B/por", "B/por"},
	{"an empty one", `<title lang="pt"> </title><title lang="en">A</title><title lang="es">C</title>`, "A/en", "A/en"},
	{"no code", `<title lang="português">A</title><title lang="pt">B</title>`, "B/pt", "A/português"},
}

func TestLanguages(t *testing.T) {
	for _, tc := range texts {
		for language, want := range map[string]string{"pt": tc.portuguese, "": tc.first} {
			text := strings.ReplaceAll(tc.in, "title", "desc") + strings.ReplaceAll(tc.in, "title", "category") + tc.in
			g, err := readAll(strings.NewReader("<tv>"+newsTag+text+"</programme></tv>"), Options{Language: language})
			if err != nil || len(g.Programmes) != 1 {
				t.Fatalf("%s: %+v, %v", tc.name, g, err)
			}
			p := g.Programmes[0]
			chosen, _, _ := strings.Cut(want, "/")
			if got := p.Title + "/" + p.Language; got != want || p.Desc != chosen || p.Category != chosen {
				t.Errorf("%s for %q: %+v, want %q", tc.name, language, p, want)
			}
		}
	}
}

// TestWindow leaves out what is not on between two times, and channels that
// nobody wants.
func TestWindow(t *testing.T) {
	var in strings.Builder
	add := func(channel, times, title string) {
		start, stop, _ := strings.Cut(times, "-")
		fmt.Fprintf(&in, `<programme start="202603%s" stop="202603%s" channel="%s"><title>%s</title></programme>`, start, stop, channel, title)
	}
	add("um.br", "140800-141000", "ends as it begins")
	add("um.br", "140800-141001", "ends in it")
	add("um.br", "141000-141100", "in it")
	add("um.br", "140900-141300", "all of it")
	add("um.br", "141159-141300", "begins in it")
	add("um.br", "141200-141300", "begins as it ends")
	add("um.br", "121100-", "may still be on")
	add("um.br", "121000-", "cannot be on")
	add("um.br", "141100-140900", "ends before it begins")
	add("dois.br", "141000-141100", "not wanted")
	o := Options{From: at("10:00"), To: at("12:00"), Wants: func(channel string) bool { return channel == "um.br" }}
	g, err := readAll(strings.NewReader("<tv>"+in.String()+"</tv>"), o)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range g.Programmes {
		got = append(got, p.Title)
	}
	want := []string{"ends in it", "in it", "all of it", "begins in it", "may still be on", "ends before it begins"}
	if diff := cmp.Diff(want, got); diff != "" || g.Count != (source.Count{Items: 10}) {
		t.Errorf("%+v, -want +got:\n%s", g.Count, diff)
	}
}

// TestErrorsOfOthers ends the reading by errors of the functions and of the
// reader.
func TestErrorsOfOthers(t *testing.T) {
	stop := errors.New("stop")
	in := `<tv><channel id="um.br"/>` + newsTag + `<title>Jornal</title></programme></tv>`
	keep, refuse := func(*Channel) error { return nil }, func(*Channel) error { return stop }
	if _, err := Read(strings.NewReader(in), Options{}, refuse, nil); !errors.Is(err, stop) {
		t.Errorf("of a channel: %v", err)
	}
	if _, err := Read(strings.NewReader(in), Options{}, keep, func(*Programme) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("of a programme: %v", err)
	}
	for name, data := range packings(t, []byte(in)) {
		for n := range len(data) {
			r := iotest.DataErrReader(&failing{data: data[:n], err: stop})
			if _, err := readAll(r, Options{}); !errors.Is(err, stop) {
				t.Fatalf("of a reader of %s, after %d bytes: %v", name, n, err)
			}
		}
	}
}

// failing gives data and then an error.
type failing struct {
	data []byte
	err  error
}

func (f *failing) Read(p []byte) (int, error) {
	n := copy(p, f.data)
	if f.data = f.data[n:]; n == 0 {
		return 0, f.err
	}
	return n, nil
}
