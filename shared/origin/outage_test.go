package origin_test

import (
	"fmt"
	"testing"

	"miramundo.dev/shared/origin"
)

func TestOutage(t *testing.T) {
	for _, test := range []struct {
		requests, hosts, answered int
		enough, likely            bool
	}{
		{0, 0, 0, false, false},
		{100, 10, 0, true, true},
		{99, 10, 0, false, false},
		{100, 9, 0, false, false},
		{100, 10, 1, true, true},
		{100, 10, 2, true, false}, // one in fifty
		{101, 10, 2, true, true},
		{100, 10, 100, true, false},
	} {
		var o origin.Outage
		for n := range test.requests {
			o.Add(fmt.Sprint("h", n%test.hosts), n < test.answered)
		}
		enough, likely := o.Enough(100, 10), o.Likely(100, 10)
		if enough != test.enough || likely != test.likely {
			t.Errorf("%+v: enough %t, likely %t", test, enough, likely)
		}
		if got, want := o.Asked("h3"), test.hosts > 3; got != want {
			t.Errorf("%+v: h3 was asked: %t", test, got)
		}
	}
}
