package media

import "testing"

// TestClock holds the bitrates that a clock makes of places and times.
func TestClock(t *testing.T) {
	const second, top = hertz, 1<<33 - hertz/2 // top is half a second before time runs over
	type tick struct {
		at        int
		now       uint64
		jump, key bool
	}
	for _, test := range []struct {
		name  string
		ticks []tick
		want  int
	}{
		{"nothing", nil, 0},
		{"one time", []tick{{at: 100, now: 5}}, 0},
		{"too short", []tick{{at: 0, now: 0}, {at: 1000, now: second/2 - 1}}, 0},
		{"half a second", []tick{{at: 0, now: 0}, {at: 1000, now: second / 2}}, 16000},
		{"time runs over", []tick{{at: 0, now: top}, {at: 1000, now: second / 2}}, 8000},
		{"out of order", []tick{{at: 0, now: second}, {at: 500, now: 2 * second}, {at: 700, now: 2*second - 9}, {at: 1000, now: 3 * second}}, 4000},
		{"hours forth", []tick{{at: 0, now: 0}, {at: 1000, now: second}, {at: 9000, now: 3600 * second}, {at: 10000, now: 3601 * second}}, 8000},
		{"hours back", []tick{{at: 0, now: 3600 * second}, {at: 1000, now: 3601 * second}, {at: 9000, now: 0}, {at: 10000, now: second}}, 8000},
		{"a little forth, and says so", []tick{{at: 0, now: 0}, {at: 1000, now: second}, {at: 9000, now: 3 * second, jump: true}, {at: 10000, now: 4 * second}}, 8000},
		{"whole groups of pictures", []tick{{at: 0, now: 0, key: true}, {at: 900, now: second / 2}, {at: 1000, now: second, key: true}, {at: 1900, now: second * 3 / 2}}, 8000},
		{"nearly whole groups of pictures", []tick{{at: 0, now: 0, key: true}, {at: 1000, now: second, key: true}, {at: 2950, now: 2*second - 9}}, 11800},
		{"groups that are the least", []tick{{at: 0, now: 0, key: true}, {at: 1000, now: second, key: true}, {at: 5000, now: 5 * second}}, 8000},
		{"one group", []tick{{at: 0, now: 0, key: true}, {at: 1000, now: second}}, 8000},
	} {
		var c clock
		for _, k := range test.ticks {
			if k.jump {
				c.jump()
			}
			c.tick(k.at, k.now)
			if k.key {
				c.key()
			}
		}
		if got := c.bitrate(); got < test.want-5 || got > test.want+5 {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
}
