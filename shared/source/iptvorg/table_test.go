package iptvorg

import (
	"encoding/csv"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"miramundo.dev/shared/source"
)

const channelHead = "id,name,alt_names,network,owners,country,categories,is_nsfw,launched,closed,replaced_by,website\r\n"

func TestChannelTable(t *testing.T) {
	in := "\ufeff" + channelHead +
		`A.br,Canal A,"A1;A2;",Rede,"X, Ltda",BR,news;general,TRUE,1990-01-02,2020-01-01,B.br@SD,https://a.example/` + "\r\n" +
		"B.uk,B,,,,UK,,false,,,,"
	d := new(source.Dataset)
	count, err := partOf("channels").Decode(d, strings.NewReader(in))
	if err != nil || count != (source.Count{Items: 2}) {
		t.Fatalf("%+v, %v", count, err)
	}
	want := []source.Channel{
		{
			ID: "A.br", Name: "Canal A", AltNames: []string{"A1", "A2"}, Network: "Rede", Owners: []string{"X, Ltda"},
			Country: "BR", Categories: []string{"news", "general"}, NSFW: true, Launched: "1990-01-02",
			Closed: "2020-01-01", ReplacedBy: "B.br@SD", Website: "https://a.example/",
		},
		{ID: "B.uk", Name: "B", Country: "UK"},
	}
	if diff := cmp.Diff(want, d.Channels, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestTables(t *testing.T) {
	big := strings.Repeat("x", source.MaxField+1)
	for _, tc := range []struct {
		name, file, in string
		count          source.Count
		err            error
	}{
		{"unknown column", "languages", "code,note,name\npor,x,Portuguese", source.Count{Items: 1}, nil},
		{"missing column", "logos", "channel,url\nA.br,https://a/", source.Count{Items: 1}, nil},
		{"missing column that is needed", "languages", "code,title\npor,Portuguese", source.Count{}, source.ErrForm},
		{"repeated rows", "languages", "code,name\na,A\na,A\n", source.Count{Items: 2}, nil},
		{"blank line", "languages", "code,name\n\na,A\n", source.Count{Items: 1}, nil},
		{"no value that is needed", "languages", "code,name\n,A\nb,B\n", source.Count{Items: 1, Skipped: 1}, nil},
		{"short row", "languages", "code,name\na\nb,B\n", source.Count{Items: 1, Skipped: 1}, nil},
		{"long row", "languages", "code,name\na,A,x\nb,B\n", source.Count{Items: 1, Skipped: 1}, nil},
		{"no flag", "channels", "id,name,is_nsfw\na,A,maybe\nb,B,TRUE\n", source.Count{Items: 1, Skipped: 1}, nil},
		{"no number", "logos", "channel,url,width\na,https://a/,wide\nb,https://b/,12.5\n", source.Count{Items: 1, Skipped: 1}, nil},
		{"quote out of place", "languages", "code,name\na,A \"x\" y\nb,B\n", source.Count{Items: 1, Skipped: 1}, nil},
		{"long value", "languages", "code,name\na," + big + "\nb,B\n", source.Count{Items: 1, Skipped: 1}, nil},
		{"cut in a row", "languages", "code,name\na,A\nb", source.Count{Items: 1, Skipped: 1}, source.ErrTruncated},
		{"cut in quotes", "languages", "code,name\na,A\nb,\"B\nc,C\n", source.Count{Items: 1, Skipped: 1}, source.ErrTruncated},
		{"endless quotes", "languages", "code,name\na,\"" + strings.Repeat(big, 40), source.Count{}, source.ErrRecord},
		{"only a heading", "languages", "code,name\n", source.Count{}, nil},
		{"empty", "languages", "", source.Count{}, source.ErrEmpty},
		{"a page", "languages", "<!DOCTYPE html>\n<html>\n", source.Count{}, source.ErrForm},
		{"an object", "languages", `{"message":"Not Found"}`, source.Count{}, source.ErrForm},
		{"JSON", "languages", "\ufeff[{\"code\":\"a\",\"name\":\"A\"},{\"code\":\"b\"}]", source.Count{Items: 1, Skipped: 1}, nil},
		{"JSON, long value", "languages", `[{"code":"a","name":"` + big + `"}]`, source.Count{Skipped: 1}, nil},
		{"JSON, null lists", "channels", `[{"id":"a","name":"A","alt_names":null,"owners":null,"launched":null}]`, source.Count{Items: 1}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			count, err := partOf(tc.file).Decode(new(source.Dataset), strings.NewReader(tc.in))
			if count != tc.count || !errors.Is(err, tc.err) {
				t.Errorf("%+v, %v, want %+v, %v", count, err, tc.count, tc.err)
			}
		})
	}
}

func TestTableOfOtherBytes(t *testing.T) {
	d := new(source.Dataset)
	if _, err := partOf("languages").Decode(d, strings.NewReader("code,name\npor,Portugu\xeas")); err != nil {
		t.Fatal(err)
	}
	if got := d.Languages[0].Name; got != "Portugu\ufffds" {
		t.Errorf("name %q", got)
	}
}

// TestLineEnds checks that no value can end a line of what is made of it.
func TestLineEnds(t *testing.T) {
	d, _, err := decodeStreams(`[{"url":"https://a/","title":"A\n#EXTINF","user_agent":"x\r\nHost: y","labels":["a\nb"]}]`)
	if err != nil {
		t.Fatal(err)
	}
	want := []source.Stream{{URL: "https://a/", Title: "A #EXTINF", UserAgent: "x  Host: y", Labels: []string{"a b"}}}
	if diff := cmp.Diff(want, d.Streams); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestStreamLabels(t *testing.T) {
	in := `[{"url":"https://a/","label":"Not 24/7","labels":null},
		{"url":"https://b/","labels":["Geo-blocked","Not 24/7"]},
		{"url":"https://c/","label":null,"channel":null,"feed":null,"quality":null},
		{"url":"https://d/","labels":"Geo-blocked"},
		{"url":"https://e/","label":7},
		{"url":null,"label":"x"}]`
	d, count, err := decodeStreams(in)
	if err != nil || count != (source.Count{Items: 4, Skipped: 2}) {
		t.Fatalf("%+v, %v", count, err)
	}
	var got []string
	for _, s := range d.Streams {
		got = append(got, strings.Join(s.Labels, "+"))
	}
	want := []string{"Not 24/7", "Geo-blocked+Not 24/7", "", "Geo-blocked"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestLayouts reads the same channel from every place where a folder may have
// it, and checks which place wins.
func TestLayouts(t *testing.T) {
	table := &fstest.MapFile{Data: []byte("id,name\nA.br,table\n")}
	api := &fstest.MapFile{Data: []byte(`[{"id":"A.br","name":"api"}]`)}
	for _, tc := range []struct {
		name   string
		folder fstest.MapFS
		want   string // the path
	}{
		{"repositories", fstest.MapFS{"database/data/channels.csv": table}, "database/data/channels.csv"},
		{"one repository", fstest.MapFS{"data/channels.csv": table}, "data/channels.csv"},
		{"tables", fstest.MapFS{"channels.csv": table}, "channels.csv"},
		{"api", fstest.MapFS{"api/channels.json": api}, "api/channels.json"},
		{"api packed", fstest.MapFS{"api/channels.json.gz": api}, "api/channels.json.gz"},
		{"api files", fstest.MapFS{"channels.json": api}, "channels.json"},
		{"both", fstest.MapFS{"api/channels.json": api, "database/data/channels.csv": table}, "database/data/channels.csv"},
		{"neither", fstest.MapFS{"channels.txt": api}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			body, path, err := partOf("channels").Open(tc.folder)
			if err == nil {
				defer body.Close()
			}
			if path != tc.want || (err == nil) != (tc.want != "") {
				t.Errorf("found %q, %v, want %q", path, err, tc.want)
			}
		})
	}
}

func TestPlaylistsInFolder(t *testing.T) {
	list := func(title string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("#EXTM3U\n#EXTINF:-1," + title + "\n" + address)}
	}
	folder := fstest.MapFS{
		"streams/br.m3u": list("A"), "streams/br_b.m3u": list("B"), "streams/README.md": list("no"),
		"api/streams.json": &fstest.MapFile{Data: []byte(`[]`)},
	}
	body, path, err := partOf("streams").Open(folder)
	if err != nil || path != "streams/*.m3u" {
		t.Fatalf("%q, %v", path, err)
	}
	defer body.Close()
	d := new(source.Dataset)
	if _, err := partOf("streams").Decode(d, body); err != nil {
		t.Fatal(err)
	}
	want := []source.Stream{{Title: "A", URL: address, File: "br"}, {Title: "B", URL: address, File: "br_b"}}
	if diff := cmp.Diff(want, d.Streams); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// FuzzTable reads a table as the package does and as encoding/csv does.
func FuzzTable(f *testing.F) {
	for _, seed := range []string{
		"por,Portuguese\r\n", "a,\"A, b\"\n", "a,\"A", "a\n", ",\n,,\n", "a,A\x00\nb,\xff", "a,\"x\"y\nb,B",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		in = "code,name\n" + in
		d := new(source.Dataset)
		count, err := partOf("languages").Decode(d, strings.NewReader(in))
		if count.Items != len(d.Languages) {
			t.Fatalf("%d items, %d languages", count.Items, len(d.Languages))
		}
		rows, plain := csv.NewReader(strings.NewReader(in)).ReadAll()
		if plain != nil {
			return
		}
		if err != nil || count.Items+count.Skipped != len(rows)-1 {
			t.Fatalf("%+v, %v of %d rows", count, err, len(rows)-1)
		}
		for _, l := range d.Languages {
			if l.Code == "" || l.Name == "" {
				t.Errorf("a row without what it needs: %+v", l)
			}
		}
	})
}
