package lowlatency

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/hop/playlist"
	"miramundo.dev/shared/fault"
)

func TestParse(t *testing.T) {
	for query, want := range map[string]Directives{
		"":                                     {},
		"p=abc&x=_HLS_msn":                     {},
		"_HLS_msn=0":                           {Block: true},
		"_HLS_msn=12&p=abc":                    {Block: true, MSN: 12},
		"_HLS_part=3&_HLS_msn=12":              {Block: true, MSN: 12, Part: 4},
		"_HLS_msn=012&_HLS_part=0003":          {Block: true, MSN: 12, Part: 4},
		"_HLS_msn=9223372036854775807":         {Block: true, MSN: 1<<63 - 1},
		"_HLS_skip=YES":                        {Skip: "YES"},
		"_HLS_skip=v2&_HLS_msn=1":              {Block: true, MSN: 1, Skip: "v2"},
		"_HLS_skip=x":                          {},
		"_HLS_skip=yes&_HLS_skip=":             {},
		"_HLS_other=1&_HLS_pushed=1&_HLS_msnx": {},
	} {
		got, err := Parse(query)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v, (-want +got)\n%s", query, err, diff)
		}
	}
	for query, param := range map[string]string{
		"_HLS_part=1":                           partParam,
		"_HLS_part=0&_HLS_skip=YES":             partParam,
		"_HLS_msn=99999999999999999999":         msnParam,
		"_HLS_msn=9999999999999999999":          msnParam,
		"_HLS_msn=":                             msnParam,
		"_HLS_msn":                              msnParam,
		"_HLS_msn=-1":                           msnParam,
		"_HLS_msn=+1":                           msnParam,
		"_HLS_msn=1%0d%0a":                      msnParam,
		"_HLS_msn=0x1":                          msnParam,
		"_HLS_msn=1&_HLS_part=10000":            partParam,
		"_HLS_msn=1&_HLS_part=":                 partParam,
		"_HLS_msn=1&_HLS_part=a":                partParam,
		"_HLS_msn=1&_HLS_msn=x":                 msnParam,
		"_HLS_msn=" + strings.Repeat("1", 9999): msnParam,
	} {
		got, err := Parse(query)
		if !errors.Is(err, fault.ErrInvalid) || fault.From(err).Fields["param"] != param || got != (Directives{}) {
			t.Errorf("%.40s: %+v, %v; want %s refused", query, got, err, param)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"_HLS_msn=1&_HLS_part=2&_HLS_skip=YES", "_HLS_part=1", "&&_HLS_msn=", "p=a&_HLS_msn=99999999999999999999"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		d, err := Parse(query)
		if err != nil {
			if !errors.Is(err, fault.ErrInvalid) {
				t.Fatal(err)
			}
			return
		}
		again, err := Parse(strings.TrimPrefix(d.Query("http://x/"), "?"))
		if err != nil || again != d {
			t.Fatalf("%q parses as %+v, whose query parses as %+v, %v", query, d, again, err)
		}
	})
}

func TestQuery(t *testing.T) {
	for _, tc := range []struct {
		address string
		d       Directives
		want    string
	}{
		{"http://x/a", Directives{}, ""},
		{"http://x/a", Directives{Block: true, MSN: 5}, "?_HLS_msn=5"},
		{"http://x/a?b=~/%2F", Directives{Block: true, MSN: 5, Part: 1, Skip: "v2"}, "&_HLS_msn=5&_HLS_part=0&_HLS_skip=v2"},
		{"http://x/a?", Directives{Skip: "YES"}, "&_HLS_skip=YES"},
	} {
		if got := tc.d.Query(tc.address); got != tc.want {
			t.Errorf("%s %+v: %q, want %q", tc.address, tc.d, got, tc.want)
		}
	}
}

func TestJudge(t *testing.T) {
	live := playlist.Info{Media: true, CanBlock: true, NextMSN: 100, NextPart: 2, PartTarget: 500 * time.Millisecond}
	coarse, ended, polled := live, live, live
	coarse.PartTarget = 0
	ended.End = true
	polled.CanBlock = false
	at := func(msn int64, part int32) Directives { return Directives{Block: true, MSN: msn, Part: part + 1} }
	whole := func(msn int64) Directives { return Directives{Block: true, MSN: msn} }
	for _, tc := range []struct {
		info playlist.Info
		d    Directives
		want Verdict
	}{
		{live, whole(0), Available},
		{live, whole(99), Available},
		{live, at(99, 500), Available},
		{live, whole(100), Upcoming},
		{live, at(100, 0), Available},
		{live, at(100, 1), Available},
		{live, at(100, 2), Upcoming},
		{live, at(100, 8), Upcoming},
		{live, at(100, 9), TooFar},
		{coarse, at(100, 4), Upcoming},
		{coarse, at(100, 5), TooFar},
		{live, whole(101), Upcoming},
		{live, at(101, 0), Upcoming},
		{live, at(101, 9999), TooFar},
		{live, whole(102), TooFar},
		{live, whole(1<<63 - 1), TooFar},
		{live, Directives{Skip: "YES"}, Upcoming},
		{ended, whole(1 << 60), Ignored},
		{polled, whole(1 << 60), Ignored},
		{polled, Directives{Skip: "YES"}, Ignored},
		{playlist.Info{Multivariant: true}, whole(5), Ignored},
		{live, Directives{}, Ignored},
	} {
		if got := tc.d.Judge(tc.info); got != tc.want {
			t.Errorf("%+v: %d, want %d", tc.d, got, tc.want)
		}
	}
}

// TestLane checks which directives ask for the next part.
func TestLane(t *testing.T) {
	parts := playlist.Info{NextMSN: 100, NextPart: 2, PartTarget: time.Second}
	whole := playlist.Info{NextMSN: 100}
	for _, tc := range []struct {
		info playlist.Info
		d    Directives
		want int
	}{
		{parts, Directives{Block: true, MSN: 100, Part: 3}, NextLane},
		{parts, Directives{Block: true, MSN: 100, Part: 3, Skip: "YES"}, NextSkipLane},
		{parts, Directives{Block: true, MSN: 100, Part: 3, Skip: "v2"}, NextSkipV2Lane},
		{parts, Directives{Block: true, MSN: 100, Part: 4}, FurtherLane},
		{parts, Directives{Block: true, MSN: 100}, FurtherLane},
		{parts, Directives{Block: true, MSN: 101, Part: 3, Skip: "YES"}, FurtherLane},
		{whole, Directives{Block: true, MSN: 100}, NextLane},
		{whole, Directives{Block: true, MSN: 100, Skip: "YES"}, NextSkipLane},
		{whole, Directives{Block: true, MSN: 100, Part: 1}, FurtherLane},
		{whole, Directives{Block: true, MSN: 101}, FurtherLane},
	} {
		if got := tc.d.Lane(tc.info); got != tc.want {
			t.Errorf("%+v of %+v: %d, want %d", tc.d, tc.info, got, tc.want)
		}
	}
}
