package fact

import (
	"errors"
	"strings"
	"testing"

	"miramundo.dev/shared/bus"
)

// A long visit may have an event of ten times the usual size.
type long struct{ visit }

func (long) MaxData() int { return 10 * maxData }

// TestSized decodes events of facts that set a size of their own.
func TestSized(t *testing.T) {
	for size, want := range map[int]error{maxData: nil, 9 * maxData: nil, 11 * maxData: bus.ErrEvent} {
		v := aVisit(1)
		v.Page = strings.Repeat("x", size)
		e, err := Encode(long{v})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Decode[long](e); !errors.Is(err, want) {
			t.Errorf("an event of %d bytes: %v, want %v", len(e.Data), err, want)
		}
	}
}
