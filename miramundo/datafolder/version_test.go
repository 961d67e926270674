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
	if err := KeepVersion(dir, Program{"miramundo v1", "a1"}); err != nil {
		t.Fatal(err)
	}
	got, err := LastVersion(dir, "restore a backup")
	if diff := cmp.Diff(Version{Format, Program{"miramundo v1", "a1"}}, got); err != nil || diff != "" {
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

// TestSameProgram checks which programs are the same.
func TestSameProgram(t *testing.T) {
	p := Program{"miramundo unknown", "a1"}
	for other, want := range map[Program]bool{
		p: true, {"miramundo unknown", "a2"}: false, {"miramundo v2", "a1"}: false, {"miramundo unknown", ""}: false,
	} {
		if got := p.Is(other); got != want {
			t.Errorf("%+v is %+v: %t, want %t", p, other, got, want)
		}
	}
	unknown := Program{Name: "miramundo unknown"}
	if unknown.Is(unknown) {
		t.Error("two programs without a sum are taken for the same")
	}
}
