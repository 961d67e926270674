// Package process measures processes of this machine from outside: their processor
// time, memory and open files, as Linux shows them in /proc.
package process

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Pin restricts a process with all its threads to one core.
func Pin(pid, core int) error {
	out, err := exec.Command("taskset", "-a", "-p", "-c", strconv.Itoa(core), strconv.Itoa(pid)).CombinedOutput()
	if err != nil {
		return fmt.Errorf("pin to core %d: %w: %s", core, err, out)
	}
	return nil
}

// CPU returns the CPU time of a process and its children.
func CPU(pid int) (time.Duration, error) {
	var sum time.Duration
	for _, id := range append(Children(pid), pid) {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id))
		if err != nil {
			return 0, err
		}
		// After the name in brackets: state is field 3, utime 14, stime 15.
		fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
		for _, f := range fields[11:13] {
			ticks, err := strconv.Atoi(f)
			if err != nil {
				return 0, err
			}
			sum += time.Duration(ticks) * (time.Second / 100) // USER_HZ is 100
		}
	}
	return sum, nil
}

// Children returns the ids of the processes that a process started.
func Children(pid int) (ids []int) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		return nil // the process has ended
	}
	for _, f := range strings.Fields(string(data)) {
		if id, err := strconv.Atoi(f); err == nil {
			ids = append(ids, id)
		}
	}
	return ids
}

// Memory returns the resident memory of a process, in MiB.
func Memory(pid int) (float64, error) {
	kb, err := status(strconv.Itoa(pid), "VmRSS")
	return kb / 1024, err
}

// Peak returns the greatest resident memory of this process since its start, in MiB.
func Peak() (float64, error) {
	kb, err := status("self", "VmHWM")
	return kb / 1024, err
}

// status returns a number of the status of a process, in the unit that Linux uses.
func status(process, name string) (value float64, err error) {
	file := "/proc/" + process + "/status"
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	_, rest, ok := strings.Cut(string(data), name+":")
	if _, err := fmt.Sscan(rest, &value); !ok || err != nil {
		return 0, fmt.Errorf("%s has no number %s", file, name)
	}
	return value, nil
}

// Files returns the number of open files and connections of a process.
func Files(pid int) (int, error) {
	list, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	return len(list), err
}

// Goroutines ends a Go process with SIGQUIT, which makes the runtime print all
// stacks, and returns the number of goroutines in that output.
func Goroutines(pid int, wrote fmt.Stringer, ended func() error) (int, error) {
	if err := syscall.Kill(pid, syscall.SIGQUIT); err != nil {
		return 0, err
	}
	_ = ended() // the status of SIGQUIT is expected
	n := strings.Count(wrote.String(), "\ngoroutine ")
	if n == 0 {
		return 0, errors.New("the process printed no goroutines after SIGQUIT")
	}
	return n, nil
}
