package logo

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
)

func TestPutThenGet(t *testing.T) {
	db := open(t)
	want := Image{Type: "image/webp", Data: []byte("RIFF\x00\xffWEBP"), Hash: "5e1f"}
	if err := Put(t.Context(), db, "cG_1-z", want); err != nil {
		t.Fatal(err)
	}
	got, err := Get(t.Context(), db, "cG_1-z")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestGreatestImageFits(t *testing.T) {
	im := Image{Type: "image/png", Data: bytes.Repeat([]byte{0xfe}, MaxBytes), Hash: strings.Repeat("f", 64)}
	if err := Put(t.Context(), open(t), "big", im); err != nil {
		t.Error(err)
	}
}

func TestGetFindsNothing(t *testing.T) {
	db := open(t)
	for _, id := range []string{"unknown", "", ".", "..", "a/b", "a b", "__x__!", "é", "a\x00", strings.Repeat("a", 65)} {
		if _, err := Get(t.Context(), db, id); !errors.Is(err, ErrNoLogo) {
			t.Errorf("Get(%q) = %v, want ErrNoLogo", id, err)
		}
	}
}

func TestPutRefuses(t *testing.T) {
	good := Image{Type: "image/png", Data: []byte{1}, Hash: "00"}
	for _, test := range []struct {
		name, id string
		change   func(*Image)
	}{
		{"an id with a slash", "a/b", func(*Image) {}},
		{"no id", "", func(*Image) {}},
		{"a type that runs scripts", "a", func(im *Image) { im.Type = "image/svg+xml" }},
		{"no bytes", "a", func(im *Image) { im.Data = nil }},
		{"too many bytes", "a", func(im *Image) { im.Data = make([]byte, MaxBytes+1) }},
		{"no hash", "a", func(im *Image) { im.Hash = "" }},
	} {
		im := good
		test.change(&im)
		if err := Put(t.Context(), open(t), test.id, im); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: Put = %v, want ErrInvalid", test.name, err)
		}
	}
}

// TestGetRefusesWhatOthersWrote checks that a document in another shape is our
// defect, not an image.
func TestGetRefusesWhatOthersWrote(t *testing.T) {
	db := open(t)
	if err := db.Set(t.Context(), "logos/odd", map[string]string{"type": "text/html", "data": "PGI+", "hash": "1"}); err != nil {
		t.Fatal(err)
	}
	if _, err := Get(t.Context(), db, "odd"); !errors.Is(err, fault.ErrInternal) {
		t.Errorf("Get = %v, want ErrInternal", err)
	}
}

func TestNoDatabase(t *testing.T) {
	db := open(t)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Get(t.Context(), db, "any"); !errors.Is(err, fault.ErrUnavailable) {
		t.Errorf("Get = %v, want ErrUnavailable", err)
	}
}

func open(t *testing.T) store.DB {
	t.Helper()
	db, err := embedded.Open(filepath.Join(t.TempDir(), "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// TestID checks that the id of an image depends on its bytes and its tone alone.
func TestID(t *testing.T) {
	a, b := NewImage("image/png", []byte("a")), NewImage("image/webp", []byte("b"))
	if a.ID() == b.ID() || a.ID() != (&Image{Data: []byte("a")}).ID() || !ids.MatchString(a.ID()) || len(a.ID()) != 16 {
		t.Errorf("ids %q and %q", a.ID(), b.ID())
	}
	plain := a.ID()
	a.Tone = OnDark
	if a.ID() != plain+"--d" || a.Check() != nil {
		t.Errorf("the id with a tone is %q (%v), after %q", a.ID(), a.Check(), plain)
	}
	if a.Tone = "red"; !errors.Is(a.Check(), ErrInvalid) {
		t.Errorf("an unknown tone gives %v", a.Check())
	}
}
