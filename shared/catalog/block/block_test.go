package block_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"miramundo.dev/shared/catalog/block"
	"miramundo.dev/shared/store/embedded"
)

var at = time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)

func TestNew(t *testing.T) {
	for _, test := range []struct{ kind, value, reason, want string }{
		{block.Channel, "Globo.br", "asked by the owner", "Globo.br"},
		{block.Channel, " Globo.br ", "x", "Globo.br"},
		{block.Stream, "s_0000000000000", "x", "s_0000000000000"},
		{block.Host, "Example.COM.", "x", "example.com"},
		{block.Host, "bücher.example", "x", "xn--bcher-kva.example"},
		{block.Host, "203.0.113.7", "x", "203.0.113.7"},
		{block.Host, "[2001:DB8::1]", "x", "2001:db8::1"},
		{block.Host, "r3---sn_x.CDN-.example.com", "x", "r3---sn_x.cdn-.example.com"},
		{block.Host, "a..example.com", "x", ""},
		{block.Host, "example.com..", "x", ""},
		{block.Host, "bü cher.example", "x", ""},
		{block.Host, "a b.example", "x", ""},
		{block.Channel, "", "x", ""},
		{block.Channel, "a\nb", "x", ""},
		{block.Channel, strings.Repeat("x", 129), "x", ""},
		{block.Stream, "Globo.br", "x", ""},
		{block.Host, "com", "x", ""},
		{block.Host, "https://example.com/", "x", ""},
		{block.Host, "example.com:8080", "x", ""},
		{block.Host, "user@example.com", "x", ""},
		{block.Host, strings.Repeat("a.", 200) + "com", "x", ""},
		{"country", "BR", "x", ""},
		{block.Channel, "Globo.br", " ", ""},
		{block.Channel, "Globo.br", strings.Repeat("x", 501), ""},
		{block.Channel, "Globo.br", "line\nbreak", ""},
	} {
		b, err := block.New(test.kind, test.value, test.reason, at)
		if b.Value != test.want || (err == nil) != (test.want != "") || err != nil && !errors.Is(err, block.ErrInvalid) {
			t.Errorf("New(%q, %.40q, %.20q) = %q, %v, want %q", test.kind, test.value, test.reason, b.Value, err, test.want)
		}
	}
}

// TestList adds, changes and lifts blocks, and sees each change from outside.
func TestList(t *testing.T) {
	db, err := embedded.Open(filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	list := block.NewList(db)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	seen := make(chan []string)
	go func() {
		defer close(seen)
		for blocks, err := range list.Watch(ctx) {
			if err != nil {
				return
			}
			var values []string
			for _, b := range blocks {
				values = append(values, b.Value+": "+b.Reason)
			}
			slices.Sort(values)
			seen <- values
		}
	}()
	want := func(values ...string) {
		t.Helper()
		if got := <-seen; !slices.Equal(got, values) {
			t.Errorf("watch saw %q, want %q", got, values)
		}
	}
	add := func(kind, value, reason string) block.Block {
		t.Helper()
		b, err := block.New(kind, value, reason, at)
		if err == nil {
			err = list.Add(ctx, b)
		}
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	want()
	b := add(block.Channel, "Globo.br", "first")
	want("Globo.br: first")
	if again := add(block.Channel, "Globo.br", "second"); again.ID != b.ID {
		t.Errorf("the same object has two blocks: %s, %s", again.ID, b.ID)
	}
	want("Globo.br: second")
	add(block.Host, "example.com", "third")
	want("Globo.br: second", "example.com: third")
	if err := list.Remove(ctx, b.ID); err != nil {
		t.Fatal(err)
	}
	want("example.com: third")
	for _, id := range []string{b.ID, "", "a/b", "..", strings.Repeat("x", 3000)} {
		if err := list.Remove(ctx, id); !errors.Is(err, block.ErrNoBlock) {
			t.Errorf("Remove(%.20q) = %v, want ErrNoBlock", id, err)
		}
	}
	all, err := list.All(ctx)
	if err != nil || len(all) != 1 || all[0].Value != "example.com" || !all[0].At.Equal(at) {
		t.Errorf("All = %+v, %v", all, err)
	}
}
