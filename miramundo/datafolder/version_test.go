package datafolder

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestVersion(t *testing.T) {
	dir := t.TempDir()
	if v, err := LastVersion(dir, "restore a backup"); err != nil || v != (Version{}) {
		t.Errorf("a new folder was used by %+v, %v", v, err)
	}
	if err := KeepVersion(dir, "miramundo v1"); err != nil {
		t.Fatal(err)
	}
	got, err := LastVersion(dir, "restore a backup")
	if diff := cmp.Diff(Version{Format, "miramundo v1"}, got); err != nil || diff != "" {
		t.Errorf("LastVersion = %v (-want +got):\n%s", err, diff)
	}
	for text, refused := range map[string]bool{
		"": false, "{": false, "{}": false, `{"format":-1}`: false, `{"format":2,"program":"miramundo v2"}`: true,
	} {
		if err := os.WriteFile(filepath.Join(dir, VersionFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		v, err := LastVersion(dir, "restore a backup")
		if refused {
			checkTrouble(t, err, dir, "miramundo v2", "format 2", "start the later version again", "restore a backup")
		} else if err != nil || v != (Version{}) {
			t.Errorf("with %q the folder was used by %+v, %v", text, v, err)
		}
	}
}
