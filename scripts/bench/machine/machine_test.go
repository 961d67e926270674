package machine

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/index/indextest"
)

func view(t *testing.T, n int) *index.View {
	t.Helper()
	ix, err := index.Build(indextest.Synthetic(1, n))
	if err != nil {
		t.Fatal(err)
	}
	return index.NewView(ix, index.Overlay{}, catalog.LinkBase{Base: "https://miramundo.example"})
}

// TestGauge checks the form of a reading, and not its size, which is the machine's.
func TestGauge(t *testing.T) {
	g, err := NewGauge(view(t, 200))
	if err != nil {
		t.Fatal(err)
	}
	var f Factor
	f.Add(g)
	f.Add(g)
	for _, r := range f.Readings {
		if r <= 0 || math.IsNaN(r) || math.IsInf(r, 0) {
			t.Errorf("a reading of %v", r)
		}
	}
	if len(f.Readings) != 2 {
		t.Errorf("%d readings, want 2", len(f.Readings))
	}
	if _, err := NewGauge(view(t, 5)); err == nil {
		t.Error("a catalog without a whole page gives a gauge")
	}
}

func TestFactor(t *testing.T) {
	for _, c := range []struct {
		readings []float64
		want     string
	}{
		{nil, "not measured"},
		{[]float64{1.234}, "1.23 (1.23 to 1.23 in 1 readings)"},
		{[]float64{2, 1, 1.5}, "1.50 (1.00 to 2.00 in 3 readings)"},
	} {
		if got := (Factor{c.readings}).String(); got != c.want {
			t.Errorf("%v is %q, want %q", c.readings, got, c.want)
		}
	}
}

func TestField(t *testing.T) {
	file := filepath.Join(t.TempDir(), "info")
	if err := os.WriteFile(file, []byte("processor\t: 0\nmodel name\t: A: B\nmodel name\t: C\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"model name": "A: B", "processor": "0", "flags": "unknown"} {
		if got := field(file, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if got := field(file+"x", "processor"); got != "unknown" {
		t.Errorf("of no file: %q", got)
	}
}
