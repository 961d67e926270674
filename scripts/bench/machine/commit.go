package machine

import (
	"context"
	"os/exec"
	"strings"
)

// Commit returns the commit that is checked out, in twelve digits, and says when files
// differ from it. Without git it is "unknown".
func Commit(ctx context.Context) string {
	id, err := exec.CommandContext(ctx, "git", "rev-parse", "--short=12", "HEAD").Output()
	if err != nil {
		return "unknown"
	}
	text := strings.TrimSpace(string(id))
	changed, err := exec.CommandContext(ctx, "git", "status", "--porcelain", "--untracked-files=no").Output()
	if err != nil || len(changed) > 0 {
		text += ", with changes"
	}
	return text
}
