package process

import (
	"os"
	"testing"
)

// TestThisProcess checks that the figures of a process are found in /proc.
func TestThisProcess(t *testing.T) {
	pid := os.Getpid()
	held, err := Memory(pid)
	if err != nil {
		t.Fatal(err)
	}
	if peak, err := Peak(); err != nil || held <= 0 || peak < held {
		t.Errorf("memory %v MiB, peak %v MiB, %v; want a peak of at least the memory", held, peak, err)
	}
	if n, err := Files(pid); err != nil || n < 3 {
		t.Errorf("%d open files, %v; want at least the three standard ones", n, err)
	}
}

func TestNoProcess(t *testing.T) {
	const none = 1 << 30 // beyond the greatest id of Linux
	if held, err := Memory(none); err == nil {
		t.Errorf("a process that does not exist holds %v MiB", held)
	}
	if used, err := CPU(none); err == nil {
		t.Errorf("a process that does not exist used %v", used)
	}
}
