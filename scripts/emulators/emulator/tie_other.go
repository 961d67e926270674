//go:build !linux

package emulator

import "os/exec"

// Tie does nothing where a child cannot be made to end with this process.
func Tie(*exec.Cmd) {}
