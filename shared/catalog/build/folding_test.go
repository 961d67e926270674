package build

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/source"
)

// listed returns a working entry of the register of stations.
func listed(n int, name, country, url, site string, votes int) source.Station {
	return source.Station{UUID: uuid(n), Name: name, CountryCode: country, URL: url, Homepage: site, Votes: votes, LastCheckOK: true}
}

// foldedIDs returns the numbers of the rows of each station, the survivor
// first, "2 1 3; 4".
func foldedIDs(records []catalog.Record, merged map[string]string) string {
	others := map[string][]string{}
	for from, to := range merged {
		others[to] = append(others[to], from)
	}
	number := func(id string) string { return strings.TrimLeft(id[strings.LastIndexByte(id, '-')+1:], "0") }
	var stations []string
	for i := range records {
		slices.Sort(others[records[i].ID])
		numbers := []string{number(records[i].ID)}
		for _, id := range others[records[i].ID] {
			numbers = append(numbers, number(id))
		}
		stations = append(stations, strings.Join(numbers, " "))
	}
	slices.Sort(stations)
	return strings.Join(stations, "; ")
}

// merge folds rows without an earlier register.
func merge(rows []source.Station) ([]catalog.Record, map[string]string) {
	return mergeStations(&source.Dataset{Stations: rows}, nil, &Report{LeftOut: map[string]int{}})
}

func TestFold(t *testing.T) {
	const s = "https://s.example/nova"
	for _, test := range []struct {
		name string
		rows []source.Station
		want string
	}{
		{"one stream, names that agree", []source.Station{listed(1, "Radio Nova", "FR", s, "", 2), listed(2, "NOVA 101.5 FM", "FR", s, "", 1)}, "1 2"},
		{"one stream, two brands", []source.Station{listed(1, "MC Doualiya", "FR", s, "", 2), listed(2, "Kuwait 2nd programme", "FR", s, "", 9)}, "1; 2"},
		{"http and https", []source.Station{listed(1, "Nova", "FR", "http://s.example/nova", "", 2), listed(2, "Nova", "FR", s, "", 1)}, "1 2"},
		{"suffixes of one stream", []source.Station{
			listed(1, "Nova", "FR", "http://s.example:8000/;", "", 3), listed(2, "Nova", "FR", "http://s.example:8000/;stream.mp3", "", 2),
			listed(3, "Nova", "FR", "http://s.example:8000/stream", "", 1),
		}, "1 2 3"},
		{"two countries", []source.Station{listed(1, "Nova", "FR", s, "https://nova.example", 2), listed(2, "Nova", "BE", s, "https://nova.example", 1)}, "1; 2"},
		{"a country is missing", []source.Station{listed(1, "Nova", "", s, "", 9), listed(2, "Nova", "FR", s, "", 1), listed(3, "Nova", "BE", s, "", 2)}, "1 3; 2"},
		{"romanized names", []source.Station{listed(1, "Радио Мята", "RU", s, "", 2), listed(2, "Radio Myata", "RU", s, "", 1)}, "1 2"},
		{"translated names with one site", []source.Station{
			listed(1, "西安音乐广播", "CN", s, "https://www.xian.example/", 2), listed(2, "Sian Music", "CN", s, "http://xian.example/fm", 1),
		}, "1 2"},
		{"translated names without a site", []source.Station{listed(1, "西安音乐广播", "CN", s, "", 2), listed(2, "Sian Music", "CN", s, "", 1)}, "1; 2"},
		{"one site, other brands in one script", []source.Station{
			listed(1, "Gravy", "US", s, "https://fm.example/", 2), listed(2, "Sin", "US", s, "https://fm.example/", 1),
		}, "1; 2"},
		{"one name and site", []source.Station{
			listed(1, "Nova", "FR", s, "https://www.nova.example", 2), listed(2, "NOVA", "FR", "https://t.example/x", "http://live.nova.example/", 1),
		}, "1 2"},
		{"one name and site, a country is missing", []source.Station{
			listed(1, "Nova", "FR", s, "https://nova.example", 2), listed(2, "Nova", "", "https://t.example/x", "https://nova.example", 1),
		}, "1 2"},
		{"one name and a site of many", []source.Station{
			listed(1, "Nova", "FR", s, "https://facebook.com/", 2), listed(2, "Nova", "FR", "https://t.example/x", "https://facebook.com/", 1),
		}, "1; 2"},
		{"one name and page at a site of many", []source.Station{
			listed(1, "Nova", "FR", s, "https://facebook.com/nova", 2), listed(2, "Nova", "FR", "https://t.example/x", "https://facebook.com/nova/", 1),
		}, "1 2"},
		{"one name and server", []source.Station{listed(1, "Nova", "FR", "https://a.nova.example/hi.mp3", "", 2), listed(2, "Nova", "FR", "https://b.nova.example/lo.aac", "", 1)}, "1 2"},
		{"one name and a path", []source.Station{
			listed(1, "Nova", "FR", "https://a.example/6x1vu7kp", "", 2), listed(2, "Nova", "FR", "https://b.test/6x1vu7kp?zt=1", "", 1),
		}, "1 2"},
		{"one name and a common path", []source.Station{listed(1, "Nova", "FR", "https://a.example/live/stream", "", 2), listed(2, "Nova", "FR", "https://b.test/live/stream", "", 1)}, "1; 2"},
		{"one name alone", []source.Station{listed(1, "Nova", "FR", "https://a.example/x", "", 2), listed(2, "Nova", "FR", "https://b.test/y", "", 1)}, "1; 2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			records, merged := merge(test.rows)
			if got := foldedIDs(records, merged); got != test.want {
				t.Errorf("stations %q, want %q", got, test.want)
			}
			for i := range records {
				if records[i].Country == "" {
					t.Errorf("%s has no country", records[i].ID)
				}
			}
		})
	}
}

// TestWorldwide checks that a programme stays in each country that lists it,
// until so many do that it is in none.
func TestWorldwide(t *testing.T) {
	countries := []string{"DZ", "CU", "AD", "AO", "AF", "MX"}
	var rows []source.Station
	for i, c := range countries {
		rows = append(rows, listed(i+1, "Exa FM", c, "https://s.example/xhps", "https://exafm.example.mx/", 100-i))
	}
	other := listed(9, "Another brand", "DZ", "https://s.example/xhps", "", 50)
	if got, want := foldedIDs(merge(append(rows[:5:5], other))), "1; 2; 3; 4; 5; 9"; got != want {
		t.Errorf("in five countries: %q, want %q", got, want)
	}
	if got, want := foldedIDs(merge(append(rows, other))), "6 1 2 3 4 5; 9"; got != want {
		t.Errorf("in six countries: %q, want %q, under the country of its site", got, want)
	}
}

// TestHosting checks that a server of many sites joins only distinctive names.
func TestHosting(t *testing.T) {
	var rows []source.Station
	for i := range hostingFrom {
		rows = append(rows, listed(100+i, fmt.Sprintf("Other %c%c%c", 'a'+i, 'b'+i, 'c'+i), "FR", fmt.Sprintf("https://h.host.example/o%d", i), fmt.Sprintf("https://site%d.example", i), 0))
	}
	same := func(name string) string {
		records, merged := merge(append(rows[:len(rows):len(rows)], listed(1, name, "FR", "https://h.host.example/x", "", 2), listed(2, name, "FR", "https://h.host.example/y", "", 1)))
		return merged["rb."+uuid(2)] + fmt.Sprint(len(records)-len(rows))
	}
	if got := same("Amor"); got != "2" {
		t.Errorf("a short name: %s, want two stations", got)
	}
	if got := same("Campus Grenoble"); got != "rb."+uuid(1)+"1" {
		t.Errorf("a distinctive name: %s, want one station", got)
	}
}

// TestManyVariants checks that a station has a bounded number of streams, and
// that the rest are not lost.
func TestManyVariants(t *testing.T) {
	var rows []source.Station
	for i := range 2*maxVariants + 3 {
		rows = append(rows, listed(i+1, "Nova", "FR", fmt.Sprintf("https://s.example/%d", i), "https://nova.example", 100-i))
	}
	records, _ := merge(rows)
	streams := 0
	for i := range records {
		n := len(records[i].Streams)
		if streams += n; n > maxVariants {
			t.Errorf("%s has %d streams, more than %d", records[i].ID, n, maxVariants)
		}
	}
	if streams != len(rows) || len(records) != 3 {
		t.Errorf("%d streams in %d stations, want %d in 3", streams, len(records), len(rows))
	}
}

// TestFoldMany folds registers that list one stream, name or site for all
// stations; without bounds each would take minutes.
func TestFoldMany(t *testing.T) {
	if testing.Short() {
		t.Skip("folds 200,000 rows")
	}
	const rows = 50_000
	letters := func(i int) string {
		return fmt.Sprintf("%c%c%c%c", 'a'+i/17576%26, 'a'+i/676%26, 'a'+i/26%26, 'a'+i%26)
	}
	country := func(i int) string { return fmt.Sprintf("%c%c", 'A'+i/26%26, 'A'+i%26) }
	for _, test := range []struct {
		name string
		row  func(i int) source.Station
	}{
		{"the same", func(i int) source.Station {
			return listed(i+1, "Nova", "FR", "https://s.example/nova", "https://nova.example", i)
		}},
		{"one stream", func(i int) source.Station {
			return listed(i+1, letters(i*7919)+" "+letters(i*31), "FR", "https://s.example/nova", "", i)
		}},
		{"one stream, all countries", func(i int) source.Station {
			return listed(i+1, letters(i*7919)+" "+letters(i*31), country(i), "https://s.example/nova", "", i)
		}},
		{"one name", func(i int) source.Station {
			return listed(i+1, "Nova", "FR", "https://s.example/"+letters(i), "https://nova.example", i)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var list []source.Station
			for i := range rows {
				list = append(list, test.row(i))
			}
			started := time.Now()
			records, merged := merge(list)
			if took := time.Since(started); took > time.Minute || len(records)+len(merged) != rows {
				t.Errorf("%d stations and %d aliases of %d rows after %s", len(records), len(merged), rows, took)
			}
			t.Logf("%d stations after %s", len(records), time.Since(started))
		})
	}
}

// TestFoldOrder checks that the order of the rows does not matter.
func TestFoldOrder(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	pick := func(list ...string) string { return list[rnd.IntN(len(list))] }
	var rows []source.Station
	for i := range 400 {
		row := listed(i+1-i%9/8, // an id now and then twice
			pick("Nova", "Nova FM", "Radio Nova 99.1", "Mera", "Mera Radio", "Vokal", "Вокал"), pick("FR", "FR", "BE", "", "DE", "CH", "LU", "NL", "GB"),
			pick("http", "https")+"://"+pick("s", "t", "u")+".example:8000/"+pick("", ";", "stream", "live", "a", "b", "c"), pick("", "https://nova.example", "https://mera.example"), rnd.IntN(4))
		row.LastCheckOK = rnd.IntN(3) > 0
		row.Tags, row.LanguageCodes = []string{pick("pop", "rock", "jazz")}, []string{pick("fr", "de", "")}
		rows = append(rows, row)
	}
	records, merged := merge(rows)
	for range 5 {
		rnd.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		again, mergedAgain := merge(rows)
		if d := cmp.Diff(records, again); d != "" {
			t.Fatalf("another order gives other stations (-first +again):\n%s", d)
		}
		if d := cmp.Diff(merged, mergedAgain); d != "" {
			t.Fatalf("another order gives other aliases (-first +again):\n%s", d)
		}
	}
}
