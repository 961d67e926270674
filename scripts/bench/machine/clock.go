package machine

import (
	"time"

	"golang.org/x/sys/unix"
)

// ThreadCPU returns the processor time that this thread has used.
func ThreadCPU() time.Duration { return clock(unix.CLOCK_THREAD_CPUTIME_ID) }

// ProcessCPU returns the processor time that the process has used.
func ProcessCPU() time.Duration { return clock(unix.CLOCK_PROCESS_CPUTIME_ID) }

func clock(id int32) time.Duration {
	var ts unix.Timespec
	if unix.ClockGettime(id, &ts) != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}

// Measure returns the processor time of one call of do. It repeats the call until
// the calls take longer than the resolution of the clock. The caller must have locked
// its thread.
func Measure(do func()) time.Duration {
	const exact = 60 * time.Microsecond
	do()
	for n := 1; ; n *= 2 {
		start := ThreadCPU()
		for range n {
			do()
		}
		if took := ThreadCPU() - start; took >= exact || n >= 1<<12 {
			return took / time.Duration(n)
		}
	}
}
