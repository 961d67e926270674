package build

import (
	"os"
	"testing"

	"miramundo.dev/shared/source/collect"
)

// BenchmarkRegister builds the register of the real sources, as a first reload
// does and as the next one does.
func BenchmarkRegister(b *testing.B) {
	const dir = "../../../../shared/data/catalog"
	if _, err := os.Stat(dir); err != nil {
		b.Skip("no ../shared/data")
	}
	place := collect.Folder(dir)
	ds, err := collect.Load(b.Context(), collect.Plan{IPTVOrg: place, Radio: place}, collect.Options{})
	if err != nil {
		b.Fatal(err)
	}
	first, _ := Register(ds, nil, now)
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			Register(ds, nil, now)
		}
	})
	b.Run("next", func(b *testing.B) {
		for b.Loop() {
			Register(ds, first, now)
		}
	})
}
