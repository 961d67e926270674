package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/build"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/snapshot"
	"miramundo.dev/shared/source/collect"
)

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func main() {
	t := time.Now()
	step := func(s string) { fmt.Println(s, time.Since(t)); t = time.Now() }
	place := collect.Folder("../shared/data/catalog")
	ds, err := collect.Load(context.Background(), collect.Plan{IPTVOrg: place, Radio: place}, collect.Options{})
	if err != nil {
		panic(err)
	}
	step("load")
	reg, rep := build.Register(ds, nil, time.Now())
	ds = nil
	step("register")
	fmt.Printf("%+v\n", rep)
	c, err := snapshot.Pack(reg)
	if err != nil {
		panic(err)
	}
	step("pack")
	for n, tb := range map[string]*snapshot.Table{"topics": &c.Topics, "houses": &c.Houses, "pasts": &c.Pasts, "feeds": &c.Feeds, "states": &c.States, "sounds": &c.Sounds, "traits": &c.Streams.Traits} {
		fmt.Println(n, tb.Len())
	}
	fmt.Println("values", c.Values.Len(), len(c.Values.Bytes), "lists", len(c.Lists.Ends), "words", c.Words.Tokens.Len(), len(c.Words.Docs))
	for n, tx := range map[string]*snapshot.Texts{"ids": &c.Docs.IDs, "names": &c.Docs.Names, "web": &c.Docs.Websites, "alt": &c.Docs.AltNames.Items, "logo": &c.Docs.LogoPath, "path": &c.Streams.Path, "tokens": &c.Words.Tokens, "cities": &c.Cities, "salias": &c.StreamAliases} {
		fmt.Println(n, tx.Len(), len(tx.Bytes))
	}
	data, err := c.Encode()
	if err != nil {
		panic(err)
	}
	step("encode")
	os.WriteFile("/tmp/engd/real.snap", data, 0o644)
	n := c.Docs.Len()
	fmt.Println("docs", n, "streams", len(c.Streams.IDs), "stored", len(data), float64(len(data))/float64(n))
	c, reg = nil, nil
	h0 := heap()
	t = time.Now()
	c2, err := snapshot.Decode(data)
	if err != nil {
		panic(err)
	}
	step("snapshot.Decode")
	_ = c2
	c2 = nil
	runtime.GC()
	t = time.Now()
	ix, err := index.Decode(data)
	if err != nil {
		panic(err)
	}
	step("index.Decode")
	v := index.NewView(ix, index.Overlay{}, catalog.LinkBase{Base: "https://miramundo.dev", Hop: "https://hop", Legacy: "http://l"})
	step("view")
	b := v.Search(index.Query{Q: "globo", Playable: true, Kind: "all", Limit: 20}, 0, nil)
	step("search")
	fmt.Println(string(b[:1500]))
	h1 := heap()
	fmt.Println("heap", h1-h0, float64(h1-h0)/float64(n))
	t = time.Now()
	runtime.GC()
	step("gc")
	runtime.KeepAlive(v)
	runtime.KeepAlive(data)
}
