package store_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/store"
)

func TestSplit(t *testing.T) {
	for p, want := range map[store.Path][2]string{
		"things/a":         {"things", "a"},
		"things/a/parts/b": {"things/a/parts", "b"},
		"é/😀":              {"é", "😀"},
	} {
		coll, id, err := p.Split()
		if got := [2]string{string(coll), id}; got != want || err != nil {
			t.Errorf("Split(%q) = %q, %v, want %q", p, got, err, want)
		}
		if err := p.CheckCollection(); !errors.Is(err, store.ErrPath) {
			t.Errorf("CheckCollection(%q) = %v, want ErrPath", p, err)
		}
		if err := coll.CheckCollection(); err != nil {
			t.Errorf("CheckCollection(%q) = %v", coll, err)
		}
	}
}

// FuzzSplit looks for paths that are split into what they are not.
func FuzzSplit(f *testing.F) {
	for _, s := range []string{"", "/", "a/b", "a/b/c/d", "a//b/", "__x__/a", "a/..", "a/\xff", "a/b\x00", "é/日"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		coll, id, err := store.Path(s).Split()
		if err != nil {
			if !errors.Is(err, store.ErrPath) || coll != "" || id != "" {
				t.Errorf("Split(%q) = %q, %q, %v", s, coll, id, err)
			}
			return
		}
		if string(coll.Join(id)) != s || strings.Contains(id, "/") || coll.CheckCollection() != nil {
			t.Errorf("Split(%q) = %q, %q", s, coll, id)
		}
	})
}

func TestEncodeExpire(t *testing.T) {
	at := store.At(time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC))
	for name, c := range map[string]struct {
		doc  any
		want time.Time
	}{
		"none":   {map[string]any{"n": 1}, time.Time{}},
		"null":   {map[string]any{"expire_at": nil}, time.Time{}},
		"a time": {map[string]any{"expire_at": at, "z": 1}, at.Time},
		"inner":  {map[string]any{"m": map[string]any{"expire_at": at}}, time.Time{}},
	} {
		e, err := store.Encode(c.doc)
		if err != nil || !e.Expire.Equal(c.want) {
			t.Errorf("%s: Encode = %v, %v, want %v", name, e.Expire, err, c.want)
		}
	}
}

// FuzzEncode looks for documents that do not come back as they were, or that
// should have been refused.
func FuzzEncode(f *testing.F) {
	for _, s := range []string{
		`{}`, `{"a":1}`, `{"a":{"b":[1,-2.5e3,true,false,null,"x",{"c":[]}]}}`, `{"a":"\"\\\u00e9\ud83d\ude00"}`,
		`{"\u0061":1,"b":2}`, `{"a":1,"a":2}`, `[1]`, `{"a":[[1]]}`, `{"":1}`, `{"__a__":1}`, `{"a":9223372036854775808}`,
		`{"expire_at":"2026-01-02T03:04:05.000006Z"}`, `{"expire_at":"x"}`, ` { "a" : [ 1 , 2 ] } `, `{"a":"\\"}`, `{"a":`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		e, err := store.Encode(json.RawMessage(body))
		if err != nil {
			if !errors.Is(err, store.ErrDocument) && !errors.Is(err, store.ErrTooLarge) {
				t.Errorf("Encode(%q) = %v", body, err)
			}
			return
		}
		var want, got map[string]any
		if json.Unmarshal(body, &want) != nil || store.Decode(e.JSON, &got) != nil {
			t.Fatalf("Encode(%q) = %q", body, e.JSON)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Encode(%q) (-want +got)\n%s", body, diff)
		}
		if _, listed := nested(got, 0); listed {
			t.Errorf("Encode(%q) keeps a list within a list, or too deep", body)
		}
	})
}

// nested tells whether v, at a depth, holds a list directly within a list, or
// lists and maps too deep.
func nested(v any, depth int) (isList, bad bool) {
	switch v := v.(type) {
	case map[string]any:
		bad = depth >= 20
		for _, x := range v {
			_, b := nested(x, depth+1)
			bad = bad || b
		}
	case []any:
		isList, bad = true, depth >= 20
		for _, x := range v {
			l, b := nested(x, depth+1)
			bad = bad || b || l
		}
	}
	return isList, bad
}

func TestTime(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 678_901_999, time.FixedZone("x", -7200))
	text, err := json.Marshal(map[string]any{"at": store.At(at)})
	if want := `{"at":"2026-01-02T05:04:05.678901Z"}`; string(text) != want || err != nil {
		t.Errorf("a time as JSON = %s, %v, want %s", text, err, want)
	}
	var got struct{ At store.Time }
	if err := json.Unmarshal(text, &got); err != nil || got.At != store.At(at) {
		t.Errorf("read back = %v, %v, want %v", got.At, err, store.At(at))
	}
}

func BenchmarkEncode(b *testing.B) {
	doc := map[string]any{"name": "x", "n": 1, "list": []string{"a", "b", "c"}, "data": make([]byte, 300)}
	for b.Loop() {
		if _, err := store.Encode(doc); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncodeChunk(b *testing.B) {
	doc := map[string][]byte{"data": make([]byte, 660<<10)}
	b.SetBytes(660 << 10)
	for b.Loop() {
		if _, err := store.Encode(doc); err != nil {
			b.Fatal(err)
		}
	}
}

// TestMoments compares stored moments with the clock: what cannot be that far ahead
// does not count.
func TestMoments(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for ahead, want := range map[time.Duration]struct {
		left          time.Duration
		recent, ahead bool
	}{
		-time.Hour:                    {0, false, false},
		-time.Minute:                  {0, true, false},
		0:                             {0, true, false},
		time.Minute:                   {time.Minute, true, false},
		10 * time.Minute:              {10 * time.Minute, false, true},
		10*time.Minute + store.Skew:   {10*time.Minute + store.Skew, false, true},
		10*time.Minute + 2*store.Skew: {0, false, true},
		30 * 24 * time.Hour:           {0, false, true},
	} {
		at := store.At(now.Add(ahead))
		if left := at.Left(now, 10*time.Minute); left != want.left {
			t.Errorf("%v ahead: %v are left, want %v", ahead, left, want.left)
		}
		if recent := at.Recent(now, time.Hour); recent != want.recent {
			t.Errorf("%v ahead: recent %t", ahead, recent)
		}
		if got := at.Ahead(now); got != want.ahead {
			t.Errorf("%v ahead: Ahead = %t", ahead, got)
		}
	}
}
