package kept

import (
	"errors"
	"fmt"
	"testing"

	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
)

// TestRemoveFavorites removes more favorites than one transaction does: each is a fact
// once, and after the last of them there is no document.
func TestRemoveFavorites(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB, _ int) {
		var f Favorites
		for i := range 2*removeBatch + 1 {
			f.Rows = append(f.Rows, Favorite{Channel: fmt.Sprint(i), Since: store.At(after(i))})
		}
		if err := db.Set(t.Context(), FavoritesPath("a_1"), f); err != nil {
			t.Fatal(err)
		}
		for _, want := range []struct {
			more           bool
			letters, after int
		}{{true, removeBatch, removeBatch + 1}, {true, removeBatch, 1}, {false, 1, 0}, {false, 0, 0}} {
			more, letters, err := RemoveFavorites(t.Context(), db, "a_1", noon)
			left, e := LoadFavorites(t.Context(), db, "a_1")
			if more != want.more || len(letters) != want.letters || err != nil || e != nil || len(left.Rows) != want.after {
				t.Errorf("more %t with %d letters, %v; %d left, %v; want %+v", more, len(letters), err, len(left.Rows), e, want)
			}
		}
		if err := db.Get(t.Context(), FavoritesPath("a_1"), &f); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a document is left: %v", err)
		}
	})
	if _, _, err := RemoveFavorites(t.Context(), storetest.Broken(), "a_1", noon); !errors.Is(err, storetest.ErrBroken) {
		t.Errorf("without a database: %v", err)
	}
}
