package site

import (
	"slices"
	"testing"
)

func TestFlagFile(t *testing.T) {
	if !slices.IsSorted(CommonFlags) {
		t.Error("the codes are not in order, by which they are looked up")
	}
	for code, want := range map[string]string{"us": Flags, "br": Flags, "ae": Flags, "vn": Flags, "io": MoreFlags, "sh": MoreFlags, "": MoreFlags} {
		if got := FlagFile(code); got != want {
			t.Errorf("the flag of %q is in %s, want %s", code, got, want)
		}
	}
}
