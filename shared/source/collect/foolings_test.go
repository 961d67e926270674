package collect

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/source"
)

// A fooling breaks some files of a good folder as scripts upstream have broken
// them: each file is complete, well formed and wrong.
type fooling struct {
	name  string
	files string // the names of the files that it breaks, as a pattern
	edit  func([]byte) []byte
	want  source.Refusal // File, Figure and Column
}

// foolings are the ways in which a source can deceive a reload.
var foolings = []fooling{
	{"every tvg-id in lower case", "*.m3u", lowerTVG, source.Refusal{File: "iptv-org/streams", Figure: source.FigureLinks, Column: "channel"}},
	{"ten times the rows", "channels.csv", tenfold, source.Refusal{File: "iptv-org/channels", Figure: source.FigureRecords}},
	{"is_nsfw renamed", "channels.csv", rename("is_nsfw", "nsfw"), source.Refusal{File: "iptv-org/channels", Figure: source.FigureColumn, Column: "is_nsfw"}},
	{"closed removed", "channels.csv", remove("closed"), source.Refusal{File: "iptv-org/channels", Figure: source.FigureColumn, Column: "closed"}},
	{"is_nsfw never true", "channels.csv", fill("is_nsfw", "FALSE"), source.Refusal{File: "iptv-org/channels", Figure: source.FigureValues, Column: "is_nsfw"}},
	{"closed without dates", "channels.csv", fill("closed", ""), source.Refusal{File: "iptv-org/channels", Figure: source.FigureValues, Column: "closed"}},
	{"a tenth of the rows", "channels.csv", part(0.1), source.Refusal{File: "iptv-org/channels", Figure: source.FigureRecords}},
	{"cut in the middle of a row", "channels.csv", half, source.Refusal{File: "iptv-org/channels", Figure: source.FigureReadable}},
	{"ids in lower case in one file", "feeds.csv", bytes.ToLower, source.Refusal{File: "iptv-org/feeds", Figure: source.FigureLinks, Column: "channel"}},
	{"a blocklist without 6 % of its rows", "blocklist.csv", part(0.94), source.Refusal{File: "iptv-org/blocklist", Figure: source.FigureRecords}},
	{"a blocklist in lower case", "blocklist.csv", bytes.ToLower, source.Refusal{File: "iptv-org/blocklist", Figure: source.FigureLinks, Column: "channel"}},
	{"no blocklist", "blocklist.*", missing, source.Refusal{File: "iptv-org/blocklist", Figure: source.FigureReadable}},
	{"no table of cities", "cities.*", missing, source.Refusal{File: "iptv-org/cities", Figure: source.FigureReadable}},
	{"stations cut", "stations.json*", half, source.Refusal{File: "radio-browser/stations", Figure: source.FigureReadable}},
}

// jsonFoolings are those of a file in JSON, which only the small folder has.
var jsonFoolings = []fooling{
	{"lastcheckok renamed", "stations.json*", replace(`"lastcheckok"`, `"last_check_ok"`), source.Refusal{File: "radio-browser/stations", Figure: source.FigureColumn, Column: "lastcheckok"}},
	{"no station answers", "stations.json*", replace(`"lastcheckok":1`, `"lastcheckok":0`), source.Refusal{File: "radio-browser/stations", Figure: source.FigureValues, Column: "lastcheckok"}},
}

var tvgID = regexp.MustCompile(`tvg-id="[^"]*"`)

func lowerTVG(data []byte) []byte { return tvgID.ReplaceAllFunc(data, bytes.ToLower) }

// half cuts a file in its middle, after the first letters of a line if it has
// lines there.
func half(data []byte) []byte {
	at := len(data) / 2
	if line := bytes.IndexByte(data[at:], '\n'); line >= 0 {
		at += line + 3
	}
	return bytes.Clone(data[:min(at, len(data)-1)])
}

func missing([]byte) []byte { return nil }

func replace(old, with string) func([]byte) []byte {
	return func(data []byte) []byte { return bytes.ReplaceAll(data, []byte(old), []byte(with)) }
}

// editRows returns an edit of the rows of a table, the first of which is its
// heading.
func editRows(edit func(rows [][]string) [][]string) func([]byte) []byte {
	return func(data []byte) []byte {
		rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
		if err != nil {
			panic(err)
		}
		var b bytes.Buffer
		if err := csv.NewWriter(&b).WriteAll(edit(rows)); err != nil {
			panic(err)
		}
		return b.Bytes()
	}
}

// part keeps a share of the rows of a table.
func part(share float64) func([]byte) []byte {
	return editRows(func(rows [][]string) [][]string { return rows[:1+int(share*float64(len(rows)-1))] })
}

// tenfold repeats each row nine times with other ids.
var tenfold = editRows(func(rows [][]string) [][]string {
	for i, row := range slices.Clone(rows[1:]) {
		for n := range 9 {
			more := slices.Clone(row)
			more[0] = fmt.Sprintf("Copy%d-%d-%s", n, i, row[0])
			rows = append(rows, more)
		}
	}
	return rows
})

// rename renames a column.
func rename(column, to string) func([]byte) []byte {
	return editRows(func(rows [][]string) [][]string {
		rows[0][slices.Index(rows[0], column)] = to
		return rows
	})
}

// remove removes a column.
func remove(column string) func([]byte) []byte {
	return editRows(func(rows [][]string) [][]string {
		at := slices.Index(rows[0], column)
		for i, row := range rows {
			rows[i] = slices.Delete(row, at, at+1)
		}
		return rows
	})
}

// fill gives every row one value in a column.
func fill(column, value string) func([]byte) []byte {
	return editRows(func(rows [][]string) [][]string {
		at := slices.Index(rows[0], column)
		for _, row := range rows[1:] {
			row[at] = value
		}
		return rows
	})
}

// An edited folder is another one in which a fooling has broken files.
type edited struct {
	fs.FS
	fooling
}

func (e edited) Open(name string) (fs.File, error) {
	if broken, _ := path.Match(e.files, path.Base(name)); !broken {
		return e.FS.Open(name)
	}
	data, err := fs.ReadFile(e.FS, name)
	if err != nil {
		return nil, err
	}
	if data = e.edit(data); data == nil {
		return nil, fs.ErrNotExist
	}
	return fstest.MapFS{name: {Data: data}}.Open(name)
}

// small is the number of channels in the folder that foolings break.
const small = 400

// folderOf returns a folder in the layouts of the real one, with n channels, of
// which some are closed and some are for adults.
func folderOf(n int) fs.FS {
	channels, feeds, blocks := "id,name,country,categories,is_nsfw,closed,replaced_by\n", "channel,id,is_main,broadcast_area,languages\n", "channel,reason,ref\n"
	list, stations := "#EXTM3U\n", ""
	for i := range n {
		nsfw, closed := "FALSE", ""
		switch i % 10 {
		case 0:
			nsfw = "TRUE"
		case 1:
			closed = "2020-01-01"
		}
		channels += fmt.Sprintf("C%d.br,Channel %d,BR,news,%s,%s,\n", i, i, nsfw, closed)
		feeds += fmt.Sprintf("C%d.br,SD,TRUE,c/BR,por\n", i)
		if i%4 == 2 {
			blocks += fmt.Sprintf("C%d.br,dmca,\n", i)
		}
		list += fmt.Sprintf("#EXTINF:-1 tvg-id=\"C%d.br@SD\",Channel %d\nhttps://h%d.example/live.m3u8\n", i, i, i)
		stations += fmt.Sprintf(`,{"stationuuid":"u%d","url":"https://r%d.example/","name":"R","countrycode":"BR","tags":"pop","votes":1,"lastcheckok":1}`, i, i)
	}
	folder := fstest.MapFS{
		"iptv/streams/br.m3u":         {Data: []byte(list)},
		"radio-browser/stations.json": {Data: []byte("[" + stations[1:] + "]")},
	}
	for name, table := range map[string]string{
		"channels": channels, "feeds": feeds, "blocklist": blocks,
		"logos": "channel,url,in_use\n", "categories": "id,name\nnews,News\n", "languages": "code,name\npor,Portuguese\n", "countries": "code,name\nBR,Brazil\n",
		"subdivisions": "country,code,name\nBR,BR-SP,São Paulo\n", "cities": "country,code,name\nBR,BRSAO,São Paulo\n",
		"regions": "code,name\nINT,Worldwide\n", "timezones": "id\nAmerica/Sao_Paulo\n",
	} {
		folder["database/data/"+name+".csv"] = &fstest.MapFile{Data: []byte(table)}
	}
	return folder
}

// TestFoolings breaks a small folder in each way, after it was good.
func TestFoolings(t *testing.T) {
	testFoolings(t, folderOf(small), append(slices.Clone(foolings), jsonFoolings...))
}

// TestFirstFoolings breaks folders that were never read before. Of a large source
// nothing is taken then; a few files written by hand may lack what they never had.
func TestFirstFoolings(t *testing.T) {
	for _, test := range []struct {
		name     string
		large    bool // refused in a large source
		smallToo bool // refused in a small one
	}{
		{"is_nsfw renamed", true, false},
		{"closed removed", true, false},
		{"no blocklist", true, false},
		{"every tvg-id in lower case", true, true},
		{"cut in the middle of a row", true, true},
		{"no table of cities", false, false},
	} {
		fool := foolings[slices.IndexFunc(foolings, func(f fooling) bool { return f.name == test.name })]
		for n, refused := range map[int]bool{handmade: test.large, small / 4: test.smallToo} {
			place := Place{Folder: edited{folderOf(n), fool}, Name: "folder"}
			d, err := Load(t.Context(), Plan{IPTVOrg: place}, Options{Cache: newMemory()})
			if err != nil {
				t.Fatal(err)
			}
			if taken := len(d.Channels) == n && len(d.Streams) == n; taken == refused || !taken && len(d.Channels)+len(d.Streams) > 0 {
				t.Errorf("%s, of %d channels: %d channels and %d streams, want it refused: %v", test.name, n, len(d.Channels), len(d.Streams), refused)
			}
		}
	}
}

// TestRealFoolings breaks the real files in each way, after they were good.
func TestRealFoolings(t *testing.T) {
	testFoolings(t, withSmallTables{os.DirFS(filepath.Join(shared(t), "catalog")), folderOf(small)}, foolings)
}

// withSmallTables is a folder in which the files that no fooling breaks are those
// of a small one, since reading the real ones takes long.
type withSmallTables struct {
	fs.FS
	small fs.FS
}

func (f withSmallTables) Open(name string) (fs.File, error) {
	switch file := path.Base(name); {
	case strings.HasPrefix(name, "api/"):
		return nil, fs.ErrNotExist
	case path.Ext(file) != ".csv", file == "channels.csv", file == "feeds.csv", file == "blocklist.csv":
		return f.FS.Open(name)
	}
	return f.small.Open(name)
}

// testFoolings checks that each fooling is refused with its file, figure and
// limit, that the files of its source stay as they were, and that they are taken
// again once they are right. It reads one source at a time.
func testFoolings(t *testing.T, folder fs.FS, all []fooling) {
	cache := newMemory()
	load := func(t *testing.T, f fs.FS, of string) *source.Dataset {
		t.Helper()
		plan := Plan{IPTVOrg: Place{Folder: f, Name: "folder"}}
		if of == "radio-browser" {
			plan.IPTVOrg, plan.Radio = Place{}, plan.IPTVOrg
		}
		d, err := Load(t.Context(), plan, Options{Cache: cache})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	good := map[string]*source.Dataset{}
	for _, name := range []string{"iptv-org", "radio-browser"} {
		good[name] = load(t, folder, name)
	}
	for _, fool := range all {
		t.Run(fool.name, func(t *testing.T) {
			name := source.Part{Name: fool.want.File}.Source()
			d := load(t, edited{folder, fool}, name)
			if diff := cmp.Diff(sizes(good[name]), sizes(d)); diff != "" {
				t.Errorf("records (-good +now):\n%s", diff)
			}
			for _, f := range d.Files {
				if f.SHA256 != "" && (!f.Kept || f.Problem == "") {
					t.Errorf("%s: kept %v, %q", f.Name, f.Kept, f.Problem)
				}
			}
			checkRefused(t, fileOf(t, d, fool.want.File), fool.want)
		})
	}
	for name := range good {
		for _, f := range load(t, folder, name).Files {
			if f.Kept || len(f.Refusals) > 0 || f.Problem != "" && f.Problem != ErrMissing.Error() {
				t.Errorf("the good folder again: %+v", f)
			}
		}
	}
}

// sizes returns how many records of each kind d has.
func sizes(d *source.Dataset) []int {
	return []int{len(d.Channels), len(d.Feeds), len(d.Streams), len(d.Blocklist), len(d.Cities), len(d.Stations)}
}

// checkRefused fails unless a file was refused for one figure, that of want.
func checkRefused(t *testing.T, f source.File, want source.Refusal) {
	t.Helper()
	if len(f.Refusals) != 1 {
		t.Fatalf("refusals %+v, want one", f.Refusals)
	}
	got := f.Refusals[0]
	if diff := cmp.Diff(want, source.Refusal{File: got.File, Figure: got.Figure, Column: got.Column}); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got.Limit == 0 || got.Value == got.Limit || got.Reason == "" || f.Problem != got.Reason {
		t.Errorf("refusal %+v, problem %q", got, f.Problem)
	}
}
