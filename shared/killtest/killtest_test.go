package killtest

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRun kills a child that works without end, and checks that all it said was
// heard and that what it left is in the folder of the test.
func TestRun(t *testing.T) {
	if args, ok := Child(t); ok {
		fmt.Println("a line of something else")
		for n := 0; ; n++ {
			file := filepath.Join(t.TempDir(), fmt.Sprint(n))
			if err := os.WriteFile(file, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			Say(args[0], n, file)
		}
	}
	var heard []string
	Run(t, Plan{Args: []string{"wrote"}, Hear: func(line string) bool {
		heard = append(heard, line)
		return len(heard) == 3
	}})
	if len(heard) < 3 {
		t.Fatalf("heard %q, want three lines or more", heard)
	}
	for n, line := range heard {
		var got int
		var file string
		if _, err := fmt.Sscanf(line, "wrote %d %s", &got, &file); err != nil || got != n {
			t.Errorf("line %d is %q, %v", n, line, err)
		}
		if !strings.HasPrefix(file, filepath.Dir(t.TempDir())) {
			t.Errorf("the child wrote %s, want it within the folder of the test", file)
		}
		if _, err := os.Stat(file); err != nil {
			t.Errorf("the child was not killed, but removed what it wrote: %v", err)
		}
	}
}

// TestInput checks that a child reads its input and waits for more until it is
// killed.
func TestInput(t *testing.T) {
	if _, ok := Child(t); ok {
		for b := make([]byte, 1); ; {
			if _, err := io.ReadFull(os.Stdin, b); err != nil {
				t.Fatal(err)
			}
			Say(string(b))
		}
	}
	var heard []string
	Run(t, Plan{Input: []byte("abc"), Hear: func(line string) bool {
		heard = append(heard, line)
		return line == "c"
	}})
	if diff := cmp.Diff([]string{"a", "b", "c"}, heard); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestChildThatEnds checks what becomes of a child that was not killed.
func TestChildThatEnds(t *testing.T) {
	if args, ok := Child(t); ok {
		Say("ends")
		if args[0] == "failed" {
			t.Fatal("the reason")
		}
		return
	}
	for _, test := range []struct {
		how    string
		mayEnd bool
		want   string
	}{
		{"well", true, ""},
		{"well", false, "ended by itself"},
		{"failed", true, "the reason"},
		{"failed", false, "the reason"},
	} {
		err := run(t, Plan{Args: []string{test.how}, Hear: func(string) bool { return false }, MayEnd: test.mayEnd})
		switch {
		case test.want == "" && err != nil:
			t.Errorf("%+v: %v", test, err)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%+v: error %v, want %q in it", test, err, test.want)
		}
	}
}

func TestChildOf(t *testing.T) {
	for _, test := range []struct {
		name  string
		given []string
		want  []string
		ok    bool
	}{
		{"its child", []string{childArg, "TestX", "a", "b"}, []string{"a", "b"}, true},
		{"its child without arguments", []string{childArg, "TestX"}, []string{}, true},
		{"the child of another test", []string{childArg, "TestXY", "a"}, nil, false},
		{"no child", nil, nil, false},
		{"other arguments", []string{"a", "TestX"}, nil, false},
		{"half of the arguments", []string{childArg}, nil, false},
	} {
		args, ok := childOf("TestX", test.given)
		if diff := cmp.Diff(test.want, args); diff != "" || ok != test.ok {
			t.Errorf("%s: %t, want %t; arguments (-want +got):\n%s", test.name, ok, test.ok, diff)
		}
	}
}
