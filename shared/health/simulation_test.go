package health

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/social"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// The simulation sets guests who lie beside people who do not, and shows what the liars
// move: the counters, which count every owner, and the conclusions, which must stay for
// as long as the networks of the liars are fewer than those of the others.

// A crowd is a number of owners who report one result from some networks of a country,
// each day.
type crowd struct {
	owners, networks int
	country          string
	ok               bool
	doubtful         bool // new guests, or against the last probe
}

// simulate returns what is counted of a channel on which crowds report for some days.
func simulate(days int, crowds ...crowd) social.Counts {
	r := rand.New(rand.NewPCG(7, 7))
	var list []social.Report
	for day := range days {
		for n, c := range crowds {
			for owner := range c.owners {
				report := social.Report{
					Browser: "Chrome", OS: "Windows", Country: c.country, OK: c.ok, Doubtful: c.doubtful,
					At: noon.AddDate(0, 0, day), Network: network(day<<16 | n<<12 | owner%c.networks), // another name each day
				}
				if !c.ok {
					report.Code = "geo"
				}
				list = append(list, report)
			}
		}
	}
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return counted(list)
}

// outcome returns what is concluded for a caller in Brazil, and how many plays count for
// the place of the channel in lists.
func outcome(c social.Counts) string {
	p, s := PanelOf("A.br", c, Reader{social.Place{Browser: "Chrome", OS: "Windows", Country: "BR"}, i18n.EN}), Social(c, here.Place)
	return fmt.Sprintf("%d\t%d\t%s\t%s\t%s\t%s\t%s\t%d",
		p.Plays, p.Fails, shown(p.Health), shown(p.LastFailCode), p.Geo.Kind, p.ForYou, shown(s.YourGeoOK), c.Heard.Plays)
}

func shown[T any](v *T) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprint(*v)
}

// TestSimulation compares the table of the simulation with its golden file.
func TestSimulation(t *testing.T) {
	honest := map[string][]crowd{
		"nobody":           nil,
		"3 networks play":  {{3, 3, "BR", true, false}},
		"10 networks play": {{30, 10, "BR", true, false}},
		"10 networks are blocked, 10 abroad play": {{30, 10, "BR", false, false}, {30, 10, "PT", true, false}},
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "people\tliars\tnetworks\tdays\tplays\tfails\thealth\tcode\tgeo\tpra_voce\tyour_geo_ok\torder")
	for _, people := range []string{"nobody", "3 networks play", "10 networks play", "10 networks are blocked, 10 abroad play"} {
		lie := people == "10 networks are blocked, 10 abroad play" // that it plays, or else that it is blocked
		for _, days := range []int{1, 7} {
			fmt.Fprintf(w, "%s\t-\t-\t%d\t%s\n", people, days, outcome(simulate(days, honest[people]...)))
			for _, liars := range []struct {
				owners, networks int
				doubtful         bool
			}{{3, 1, false}, {10, 1, false}, {100, 1, false}, {1000, 1, false}, {1000, 3, true}, {1000, 3, false}, {1000, 10, true}, {1000, 10, false}, {1000, 100, true}, {1000, 100, false}} {
				c := simulate(days, append([]crowd{{liars.owners, liars.networks, "BR", lie, liars.doubtful}}, honest[people]...)...)
				how := ""
				if liars.doubtful {
					how = " doubted"
				}
				fmt.Fprintf(w, "%s\t%d%s\t%d\t%d\t%s\n", people, liars.owners, how, liars.networks, days, outcome(c))
			}
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + b.String())
	file := filepath.Join("testdata", "simulation.golden")
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("go test -update rewrites %s (-want +got):\n%s", file, diff)
	}
}

// TestOneNetwork checks what the table shows for one network in small mixtures: a
// hundred owners of one network, each day for a season, change no conclusion about
// networks that agree, nor about a channel that nobody else reports.
func TestOneNetwork(t *testing.T) {
	for _, others := range []int{0, 3, 4, 5, 15} {
		for _, ok := range []bool{true, false} {
			for _, lie := range []bool{true, false} {
				crowds := []crowd{{others, max(others, 1), "BR", ok, false}, {others, max(others, 1), "US", ok, false}}
				honest, with := simulate(40, crowds...), simulate(40, append(crowds, crowd{100, 1, "BR", lie, false})...)
				before, after := concluded(honest), concluded(with)
				if diff := cmp.Diff(before, after); diff != "" {
					t.Errorf("%d networks that report %t, and one that reports %t (-without +with):\n%s", others, ok, lie, diff)
				}
			}
		}
	}
}

// concluded returns the conclusions about a channel, without its counters.
func concluded(c social.Counts) []string {
	p, s := PanelOf("A.br", c, here), Social(c, here.Place)
	return []string{
		shown(p.Health), shown(p.LastFailCode), fmt.Sprint(p.Geo), p.ForYou, shown(p.YourCountry.Health), shown(p.YourEnvironment.Health),
		shown(s.Health), shown(s.LastFailCode), shown(s.YourGeoOK),
		string(WorksIn(Facts{Agreed: c.Heard.Agreed, Today: social.DateOf(noon.AddDate(0, 0, 40))}, "BR")),
	}
}
