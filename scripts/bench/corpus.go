package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/build"
	"miramundo.dev/shared/catalog/index/indextest"
	"miramundo.dev/shared/source"
	"miramundo.dev/shared/source/collect"
)

const million = 1_000_000

// goalsOf returns the size whose goals a catalog of the given size and folder is judged by:
// none for a catalog that is not made of the real sources.
func goalsOf(size, data string) string {
	if _, err := os.Stat(data); err != nil || data == sampleData {
		return ""
	}
	return size
}

// corpus returns a catalog of the given size: "real" is the catalog of the
// sources in the folder data, or a synthetic one when that folder does not
// exist; "1m" is the same catalog multiplied to a million records.
func corpus(ctx context.Context, size, data string) (reg *catalog.Register, name string, err error) {
	reg, name, err = realCatalog(ctx, data)
	switch {
	case err != nil || size == "real":
		return reg, name, err
	case size == "1m":
		return multiply(reg, million), name + ", multiplied", nil
	}
	return nil, "", fmt.Errorf("no catalog of size %q: real or 1m", size)
}

func realCatalog(ctx context.Context, data string) (*catalog.Register, string, error) {
	ds, name, err := sources(ctx, data)
	switch {
	case err != nil:
		return nil, "", err
	case ds == nil:
		return indextest.Synthetic(1, 90_000), name, nil
	}
	reg, _ := build.Register(ds, nil, time.Now())
	return reg, name, nil
}

// sources returns the rows of the sources in the folder data, or nil when that
// folder does not exist, and the name of the catalog that is made of them.
func sources(ctx context.Context, data string) (*source.Dataset, string, error) {
	plan, name := collect.Sample(), "sample catalog"
	if data != sampleData {
		if _, err := os.Stat(data); err != nil {
			return nil, "synthetic catalog", nil
		}
		place := collect.Folder(data)
		plan, name = collect.Plan{IPTVOrg: place, Radio: place}, "real catalog"
	}
	ds, err := collect.Load(ctx, plan, collect.Options{})
	return ds, name, err
}

// multiply returns a catalog of n records: the records of reg, and variations of
// them whose names mix the words of two names of the same country. 4 % of the
// words are new, so that the vocabulary grows as it does in larger catalogs.
func multiply(reg *catalog.Register, n int) *catalog.Register {
	r := rand.New(rand.NewPCG(1, 1))
	out := *reg
	out.Records = append(make([]catalog.Record, 0, n), reg.Records...)
	byCountry := map[string][]int{}
	for i := range reg.Records {
		byCountry[reg.Records[i].Country] = append(byCountry[reg.Records[i].Country], i)
	}
	for i := len(out.Records); i < n; i++ {
		a := &reg.Records[r.IntN(len(reg.Records))]
		same := byCountry[a.Country]
		out.Records = append(out.Records, variation(r, a, &reg.Records[same[r.IntN(len(same))]], i))
	}
	return &out
}

// variation returns a copy of a with an id of its own, and a name that mixes the
// words of a and b.
func variation(r *rand.Rand, a, b *catalog.Record, i int) catalog.Record {
	c := *a
	c.ID = fmt.Sprintf("%s.%d", a.ID, i)
	if a.Kind == catalog.Station {
		c.ID = fmt.Sprintf("rb.%08x-%04x-4000-8000-%012x", r.Uint32(), r.IntN(1<<16), i)
		radio := *a.Radio
		radio.Votes = int(math.Exp(r.Float64() * 10))
		c.Radio = &radio
	}
	words := strings.Fields(a.Name)
	other := strings.Fields(b.Name)
	words = append(words[:(len(words)+1)/2:(len(words)+1)/2], other[len(other)/2:]...)
	for k := range words {
		if r.Float64() < 0.04 {
			words[k] = newWord(r)
		}
	}
	c.Name = strings.Join(words, " ")
	if r.IntN(3) > 0 {
		c.AltNames = nil
	}
	c.Streams = append([]catalog.StreamRecord(nil), a.Streams...)
	for k := range c.Streams {
		c.Streams[k].ID = catalog.StreamID(r.Uint64())
		c.Streams[k].URL += fmt.Sprintf("?%d", i)
	}
	return c
}

func newWord(r *rand.Rand) string {
	b := make([]byte, 4+r.IntN(6))
	for i := range b {
		b[i] = "bcdfghjklmnprstvaeiouaeiou"[r.IntN(26)]
	}
	return string(b)
}
