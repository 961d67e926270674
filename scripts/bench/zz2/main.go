package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
)

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func main() {
	runtime.GOMAXPROCS(1)
	data, _ := os.ReadFile("/tmp/engd/real.snap")
	f, _ := os.Create("/tmp/engd/cpu.prof")
	h0 := heap()
	var ix *index.Index
	pprof.StartCPUProfile(f)
	for range 8 {
		ix = nil
		runtime.GC()
		t := time.Now()
		var err error
		ix, err = index.Decode(data)
		if err != nil {
			panic(err)
		}
		fmt.Print(time.Since(t), " ")
	}
	fmt.Println()
	pprof.StopCPUProfile()
	v := index.NewView(ix, index.Overlay{}, catalog.LinkBase{Base: "https://miramundo.dev", Hop: "https://hop", Legacy: "http://l"})
	h1 := heap()
	fmt.Println("heap/ch", float64(h1-h0)/float64(ix.Len()))
	for range 4 {
		t := time.Now()
		runtime.GC()
		fmt.Print("gc ", time.Since(t), " ")
	}
	fmt.Println()
	f, _ = os.Create("/tmp/engd/heap.prof")
	pprof.WriteHeapProfile(f)
	runtime.KeepAlive(v)
	runtime.KeepAlive(data)
}
