//go:build !linux

package player

import "os/exec"

// ownGroup does nothing where there are no groups that end together.
func ownGroup(*exec.Cmd) {}

// endGroup ends cmd.
func endGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
