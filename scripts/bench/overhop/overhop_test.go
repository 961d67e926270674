package overhop

import "testing"

// TestRatio compares rivals round by round.
func TestRatio(t *testing.T) {
	rounds := func(counts ...int) *rival {
		r := new(rival)
		for _, n := range counts {
			r.results = append(r.results, result{Requests: n, Micros: 1e6})
		}
		return r
	}
	// The machine halves its speed in the second round; the ratio does not.
	if got := ratio(rounds(90, 45, 100), rounds(100, 50, 100), result.perSecond); got != 0.9 {
		t.Errorf("ratio is %v, want 0.9", got)
	}
	if got := median([]int{5, 1, 3}); got != 3 {
		t.Errorf("median is %d, want 3", got)
	}
}

// TestCrashLog keeps the crash and not the log before it.
func TestCrashLog(t *testing.T) {
	var l crashLog
	for _, text := range []string{"a line\n", "another\nSIGQUIT: quit\n", "\ngoroutine 1 [running]:\n", "\ngoroutine 2 [select]:\n"} {
		if n, err := l.Write([]byte(text)); n != len(text) || err != nil {
			t.Fatalf("Write: %d, %v", n, err)
		}
	}
	if want := "SIGQUIT: quit\n\ngoroutine 1 [running]:\n\ngoroutine 2 [select]:\n"; l.String() != want {
		t.Errorf("kept %q, want %q", l.String(), want)
	}
}
