package emulator

import (
	"os/exec"
	"syscall"
)

// tie makes a child end with this process, however that ends, and keeps a
// terminal's interrupt for this process, which stops its children in order.
func tie(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
