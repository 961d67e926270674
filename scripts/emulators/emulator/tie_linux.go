package emulator

import (
	"os/exec"
	"syscall"
)

// Tie makes the kernel kill a child when this process ends for any reason. It puts the
// child in a process group of its own, so that an interrupt from the terminal
// reaches this process alone, which then stops its children in order.
func Tie(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
