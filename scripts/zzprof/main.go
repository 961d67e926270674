// Zzprof tries.
package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
)

func main() {
	data, err := os.ReadFile("/tm" + "p/core.snap")
	if err != nil {
		panic(err)
	}
	ix, err := index.Decode(data)
	if err != nil {
		panic(err)
	}
	v := index.NewView(ix, index.Overlay{}, catalog.LinkBase{Base: "https://x"})
	r := rand.New(rand.NewPCG(1, 2))
	classes := map[string]func(d catalog.Record) string{
		"1 full": func(d catalog.Record) string { return d.Name },
		"2 word": func(d catalog.Record) string { w := strings.Fields(d.Name); return w[r.IntN(len(w))] },
		"3 freq": func(d catalog.Record) string {
			return []string{"radio", "fm", "news", "tv", "music", "hits", "rock", "world", "one", "sport"}[r.IntN(10)]
		},
		"4 typo": func(d catalog.Record) string { b := []byte(d.Name); b[r.IntN(len(b))] = 'x'; return string(b) },
		"5 land": func(d catalog.Record) string {
			return []string{"brazil", "usa", "deutschland", "france music", "rock 80s", "noticias", "techno berlin", "news in english"}[r.IntN(8)]
		},
		"6 script": func(d catalog.Record) string {
			return []string{"матч тв", "первый канал", "الجزيرة", "央视", "радио", "новости", "ελλάδα", "כאן 11"}[r.IntN(8)]
		},
	}
	for range 10 {
		v.Find(index.Query{Selection: filter.Selection{Q: "warm up", Kind: "all", Sort: "relevance"}, Limit: 20})
	}
	f, _ := os.Create("/tm" + "p/z.prof")
	only := ""
	if len(os.Args) > 1 {
		only = os.Args[1]
	}
	names := []string{}
	for n := range classes {
		names = append(names, n)
	}
	slices.Sort(names)
	pprof.StartCPUProfile(f)
	var buf []byte
	for _, n := range names {
		if only != "" && !strings.HasPrefix(n, only) {
			continue
		}
		var times []time.Duration
		var a, b runtime.MemStats
		qs := []string{}
		for len(qs) < 300 {
			d := ix.Record(r.IntN(ix.Len()))
			if strings.TrimSpace(d.Name) != "" {
				qs = append(qs, classes[n](d))
			}
		}
		runtime.ReadMemStats(&a)
		loops := 1
		if only != "" {
			loops = 20
		}
		worst := map[string]time.Duration{}
		for range loops {
			for _, q := range qs {
				best := time.Hour
				for range 3 {
					t := time.Now()
					buf = v.Search(index.Query{Selection: filter.Selection{Q: q, Kind: "all", Sort: "relevance", Playable: true}, Limit: 20}, 0, buf[:0])
					best = min(best, time.Since(t))
				}
				times = append(times, best)
				worst[q] = best
			}
		}
		runtime.ReadMemStats(&b)
		slices.Sort(times)
		fmt.Printf("%-10s p50 %8s p90 %8s p99 %8s max %8s allocs %.1f\n", n, times[len(times)/2], times[len(times)*9/10], times[len(times)*99/100], times[len(times)-1], float64(b.Mallocs-a.Mallocs)/float64(3*loops*len(qs)))
		slices.SortFunc(qs, func(a, b string) int { return int(worst[b] - worst[a]) })
		fmt.Printf("   %.90q\n", qs[:3])
	}
	pprof.StopCPUProfile()
}
