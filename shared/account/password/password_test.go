package password

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"

	"miramundo.dev/shared/identity"
)

const good = "três pratos de trigo"

func TestCheck(t *testing.T) {
	h := NewHasher()
	hash, err := h.Hash(t.Context(), good)
	if err != nil {
		t.Fatal(err)
	}
	again, err := h.Hash(t.Context(), good)
	if err != nil || again == hash {
		t.Fatalf("two hashes of one password are alike, or %v", err)
	}
	cheap := phc{params: params{memory: 64, time: 1, threads: 1}, salt: make([]byte, saltSize)}
	cheap.key, _ = h.compute(t.Context(), good, cheap)
	for _, test := range []struct {
		name, hash, pw string
		ok, rehash     bool
	}{
		{"the password", hash, good, true, false},
		{"its other hash", again, good, true, false},
		{"in capitals", hash, strings.ToUpper(good), false, false},
		{"with a space", hash, good + " ", false, false},
		{"in another normal form", hash, "tre\u0302s pratos de trigo", false, false},
		{"cut", hash, good[:len(good)-1], false, false},
		{"empty", hash, "", false, false},
		{"a megabyte", hash, strings.Repeat("x", 1<<20), false, false},
		{"of no hash", "", good, false, false},
		{"nothing of no hash", "", "", false, false},
		{"of older parameters", cheap.String(), good, true, true},
		{"wrong, of older parameters", cheap.String(), "x" + good, false, false},
	} {
		ok, rehash, err := h.Check(t.Context(), test.hash, test.pw)
		if ok != test.ok || rehash != test.rehash || err != nil {
			t.Errorf("%s: Check = %t, %t, %v; want %t, %t", test.name, ok, rehash, err, test.ok, test.rehash)
		}
	}
}

// TestDamagedHash checks that a hash that we did not make is an error, which shows
// nothing of it, and is not computed.
func TestDamagedHash(t *testing.T) {
	h := NewHasher()
	const salt, key = "AAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	if _, err := parse("$argon2id$v=19$m=7168,t=5,p=1$" + salt + "$" + key); err != nil {
		t.Fatalf("what the others are made from is refused: %v", err)
	}
	for name, hash := range map[string]string{
		"text":            "hash",
		"dollars":         "$$$$$",
		"no key":          "$argon2id$v=19$m=7168,t=5,p=1$" + salt + "$",
		"no salt":         "$argon2id$v=19$m=7168,t=5,p=1$$" + key,
		"another method":  "$argon2i$v=19$m=7168,t=5,p=1$" + salt + "$" + key,
		"another version": "$argon2id$v=16$m=7168,t=5,p=1$" + salt + "$" + key,
		"a gigabyte":      "$argon2id$v=19$m=1048576,t=5,p=1$" + salt + "$" + key,
		"a million times": "$argon2id$v=19$m=7168,t=1000000,p=1$" + salt + "$" + key,
		"no time":         "$argon2id$v=19$m=7168,t=0,p=1$" + salt + "$" + key,
		"no threads":      "$argon2id$v=19$m=7168,t=5,p=0$" + salt + "$" + key,
		"negative":        "$argon2id$v=19$m=-7168,t=5,p=1$" + salt + "$" + key,
		"a plus":          "$argon2id$v=19$m=+7168,t=5,p=1$" + salt + "$" + key,
		"more after":      "$argon2id$v=19$m=7168,t=5,p=1$" + salt + "$" + key + "$",
		"padded":          "$argon2id$v=19$m=7168,t=5,p=1$" + salt + "==$" + key,
	} {
		ok, _, err := h.Check(t.Context(), hash, good)
		if !errors.Is(err, errHash) || ok || strings.Contains(err.Error(), "argon") {
			t.Errorf("%s: %t, %v", name, ok, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(dummy.String())
	f.Add("$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AA")
	f.Fuzz(func(t *testing.T, s string) {
		if p, err := parse(s); err == nil && (p.String() != s || !p.computable()) {
			t.Errorf("parse(%q) = %+v", s, p)
		}
	})
}

// TestBusy fills a Hasher: callers wait for their turn, the queue has an end, and a
// caller that gives up leaves it.
func TestBusy(t *testing.T) {
	h := newHasher(1, 1)
	h.admitted <- struct{}{}
	h.running <- struct{}{} // one hash is being computed
	ctx, cancel := context.WithCancel(t.Context())
	waits := make(chan error)
	go func() {
		_, err := h.Hash(ctx, good)
		waits <- err
	}()
	for len(h.admitted) < 2 { // until the other waits
		runtime.Gosched()
	}
	if _, _, err := h.Check(t.Context(), "", good); !errors.Is(err, identity.ErrUnavailable) || !errors.Is(err, errBusy) {
		t.Errorf("beyond the queue: %v", err)
	}
	cancel()
	if err := <-waits; !errors.Is(err, identity.ErrUnavailable) || !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
	if len(h.admitted) != 1 {
		t.Errorf("%d callers are left in the queue, want the running one", len(h.admitted))
	}
	<-h.running
	<-h.admitted
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			if _, err := h.Hash(t.Context(), good); err != nil {
				t.Errorf("when it is free again: %v", err)
			}
		})
	}
	group.Wait()
}

func BenchmarkCheck(b *testing.B) {
	h := NewHasher()
	hash, _ := h.Hash(b.Context(), good)
	for name, hash := range map[string]string{"with": hash, "without": ""} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, _, _ = h.Check(b.Context(), hash, good)
			}
		})
	}
}
