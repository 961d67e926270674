package functions

import (
	"testing"

	"miramundo.dev/shared/logo"
	"miramundo.dev/shared/store"
)

// keepLogo keeps a logo that no channel of the fixture has.
func keepLogo(t testing.TB, db store.DB) {
	t.Helper()
	im := logo.Image{Type: "image/png", Data: []byte("\x89PNG of a test"), Hash: "5e1f"}
	if err := logo.Put(t.Context(), db, "logo_of-no1", im); err != nil {
		t.Fatal(err)
	}
}
