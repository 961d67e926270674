package embedded_test

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"miramundo.dev/shared/store"
)

// A record is a document of the usual size, 300 bytes.
type record struct {
	Channel string   `json:"channel"`
	N       int      `json:"n"`
	Tags    []string `json:"tags"`
	Text    string   `json:"text"`
}

func newRecord(n int) record {
	return record{fmt.Sprintf("Channel%d.br", n%100), n, []string{"a", "b"}, fmt.Sprintf("%0200d", n)}
}

func recordPath(n int) store.Path { return store.Path(fmt.Sprintf("records/%06d", n)) }

// filled returns a database with n records.
func filled(b *testing.B, n int) store.DB {
	db := open(b)
	for i := 0; i < n; i += 1000 {
		err := db.Update(b.Context(), func(tx store.Tx) (err error) {
			for j := i; j < min(i+1000, n); j++ {
				err = errors.Join(err, tx.Set(recordPath(j), newRecord(j)))
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	return db
}

// each calls f b.N times.
func each(b *testing.B, f func(i int) error) {
	i := 0
	for b.Loop() {
		if err := f(i); err != nil {
			b.Fatal(err)
		}
		i++
	}
}

func BenchmarkGet(b *testing.B) {
	db := filled(b, 10_000)
	var doc record
	each(b, func(i int) error { return db.Get(b.Context(), recordPath(i*7919%10_000), &doc) })
}

func BenchmarkGetParallel(b *testing.B) {
	db := filled(b, 10_000)
	b.RunParallel(func(pb *testing.PB) {
		var doc record
		for i := 0; pb.Next(); i++ {
			if err := db.Get(b.Context(), recordPath(i*7919%10_000), &doc); err != nil {
				b.Error(err)
			}
		}
	})
}

func BenchmarkGetAll50(b *testing.B) {
	db := filled(b, 10_000)
	ps := make([]store.Path, 50)
	for i := range ps {
		ps[i] = recordPath(i * 199)
	}
	each(b, func(int) error {
		_, err := db.GetAll(b.Context(), ps)
		return err
	})
}

func BenchmarkSet(b *testing.B) {
	db := open(b)
	each(b, func(i int) error { return db.Set(b.Context(), recordPath(i%1000), newRecord(i)) })
}

func BenchmarkSetParallel(b *testing.B) {
	db := open(b)
	var n atomic.Int64
	b.SetParallelism(16)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			i := int(n.Add(1))
			if err := db.Set(b.Context(), recordPath(i%1000), newRecord(i)); err != nil {
				b.Error(err)
			}
		}
	})
}

func BenchmarkCreate(b *testing.B) {
	db := open(b)
	each(b, func(i int) error { return db.Create(b.Context(), recordPath(i), newRecord(i)) })
}

func BenchmarkIncrement(b *testing.B) {
	db := open(b)
	add := map[string]int64{"n": 1, "by.BR": 1}
	each(b, func(int) error { return db.Increment(b.Context(), "sums/all", add) })
}

// benchQuery runs q over 10,000 records, of which it finds want.
func benchQuery(b *testing.B, q store.Query, want int) {
	db := filled(b, 10_000)
	q.Collection = "records"
	each(b, func(int) error {
		n := 0
		for _, err := range db.Query(b.Context(), q) {
			if err != nil {
				return err
			}
			n++
		}
		if n != want {
			return fmt.Errorf("found %d, want %d", n, want)
		}
		return nil
	})
}

func BenchmarkQueryByID(b *testing.B) { benchQuery(b, store.Query{Limit: 20}, 20) }

func BenchmarkQueryWhere(b *testing.B) {
	where := []store.Filter{{Field: "channel", Op: store.Eq, Value: "Channel7.br"}}
	benchQuery(b, store.Query{Where: where}, 100)
}

func BenchmarkQueryTop(b *testing.B) {
	benchQuery(b, store.Query{OrderBy: "n", Desc: true, Limit: 20}, 20)
}
