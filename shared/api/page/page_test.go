package page

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOf(t *testing.T) {
	const api = "https://mira.example/api/history"
	ref := func(n int, s string) (*int, *string) { return &n, &s }
	for _, test := range []struct {
		in    In
		total int
		next  int // 0 means that there is none
		url   string
	}{
		{In{20, 0}, 0, 0, ""},
		{In{20, 0}, 20, 0, ""},
		{In{20, 0}, 21, 20, api + "?limit=20&offset=20"},
		{In{20, 1}, 21, 0, ""},
		{In{5, 5}, 11, 10, api + "?limit=5&offset=10"},
		{In{5, 10}, 11, 0, ""},
		{In{5, 100_000_000}, 11, 0, ""},
	} {
		want := Position{Total: test.total, Limit: test.in.Limit, Offset: test.in.Offset, API: api}
		if test.next > 0 {
			want.NextOffset, want.Next = ref(test.next, test.url)
		}
		if diff := cmp.Diff(want, test.in.Of(test.total, api)); diff != "" {
			t.Errorf("%+v of %d (-want +got):\n%s", test.in, test.total, diff)
		}
	}
}

func TestCut(t *testing.T) {
	all := []int{1, 2, 3, 4, 5}
	for _, test := range []struct {
		in   In
		all  []int
		want []int
	}{
		{In{2, 0}, all, []int{1, 2}},
		{In{2, 4}, all, []int{5}},
		{In{2, 5}, all, []int{}},
		{In{50, 100_000_000}, all, []int{}},
		{In{50, 0}, nil, []int{}},
		{In{50, 0}, all, all},
	} {
		if diff := cmp.Diff(test.want, Cut(test.in, test.all)); diff != "" {
			t.Errorf("%+v of %v (-want +got):\n%s", test.in, test.all, diff)
		}
	}
}

// TestWalk follows the pages of lists of any length: each item is on one.
func TestWalk(t *testing.T) {
	for total := range 60 {
		all := make([]int, total)
		for i := range all {
			all[i] = i
		}
		var got []int
		for in, more := (In{Limit: 7}), true; more; {
			got = append(got, Cut(in, all)...)
			p := in.Of(total, "x")
			if more = p.NextOffset != nil; more {
				in.Offset = *p.NextOffset
			}
		}
		if diff := cmp.Diff(all, append([]int{}, got...)); diff != "" {
			t.Errorf("%d items (-want +got):\n%s", total, diff)
		}
	}
}
