package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"miramundo.dev/shared/site"
)

const plain = `<svg xmlns="http://www.w3.org/2000/svg"><defs><path id="a" d="M0 0"/></defs><use href="#a"/></svg>`

// flat is a flag.
const flat = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 3 2"><path d="M0 0h3"/></svg>`

func TestPicture(t *testing.T) {
	for _, test := range []struct {
		name, svg, want string // want is part of the error; empty for none
	}{
		{"a plain one", plain, ""},
		{"cut short", plain[:50], "unexpected EOF"},
		{"nothing", "", "not an svg"},
		{"HTML", "<html></html>", "not an svg"},
		{"a script", `<svg><script>alert(1)</script></svg>`, "element script"},
		{"an event", `<svg onload="alert(1)"></svg>`, "attribute onload"},
		{"a link out", `<svg xmlns:xlink="x"><use xlink:href="https://example.org/a"/></svg>`, "attribute href"},
		{"a style that loads", `<svg><g style="fill:url(https://example.org)"/></svg>`, "attribute style"},
		{"a page within", `<svg><foreignObject/></svg>`, "element foreignObject"},
		{"too big", "<svg>" + strings.Repeat(" ", mostBytes) + "</svg>", "more than"},
	} {
		err := picture([]byte(test.svg))
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: picture = %v, want %q", test.name, err, test.want)
		}
	}
}

func TestCopyFlags(t *testing.T) {
	from, to := npmPackage(leastFlags), t.TempDir()
	if n, err := copyFlags(from, to); err != nil || n != leastFlags+1 {
		t.Fatalf("the first copy wrote %d, %v; want %d", n, err, leastFlags+1)
	}
	if n, err := copyFlags(from, to); err != nil || n != 0 {
		t.Errorf("the second copy wrote %d, %v; want 0", n, err)
	}
	if _, err := os.Stat(filepath.Join(to, "LICENSE.txt")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(to, "gb-wls.svg")); err == nil {
		t.Error("copied the flag of a region")
	}
}

func TestCopyFlagsRefuses(t *testing.T) {
	if _, err := copyFlags(npmPackage(leastFlags-1), t.TempDir()); err == nil || !strings.Contains(err.Error(), "npm ci") {
		t.Errorf("too few flags: %v", err)
	}
	unlicensed := npmPackage(leastFlags)
	delete(unlicensed, "LICENSE")
	if _, err := copyFlags(unlicensed, t.TempDir()); err == nil {
		t.Error("copied flags without their licence")
	}
}

// npmPackage is a package of n flags, and one that is not a country's.
func npmPackage(n int) fstest.MapFS {
	fsys := fstest.MapFS{"LICENSE": {Data: []byte("free")}, "3x2/GB-WLS.svg": {Data: []byte(flat)}}
	for i := range n {
		fsys[fmt.Sprintf("3x2/%c%c.svg", 'A'+i/26, 'A'+i%26)] = &fstest.MapFile{Data: []byte(flat)}
	}
	return fsys
}

func TestFlagSprite(t *testing.T) {
	modules := fstest.MapFS{}
	for name, file := range npmPackage(leastFlags) {
		modules["country-flag-icons/"+name] = file
	}
	sprite, err := flagSprite(modules, site.MoreFlags)
	if err != nil {
		t.Fatal(err)
	}
	common, err := flagSprite(modules, site.Flags)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range [][]byte{sprite, common} {
		if err := picture(file); err != nil {
			t.Error(err)
		}
	}
	if strings.Contains(string(common), `id="aa"`) || !strings.Contains(string(common), `id="br"`) {
		t.Errorf("the flags of the largest countries begin with %.200q", common)
	}
	const first = `<svg xmlns="http://www.w3.org/2000/svg"><symbol id="aa" viewBox="0 0 3 2"><path d="M0 0h3"/></symbol><symbol id="ab"`
	if !strings.HasPrefix(string(sprite), first) || strings.Count(string(sprite)+string(common), "<symbol") != leastFlags {
		t.Errorf("the sprite begins with %.200q", sprite)
	}
	for name, svg := range map[string]string{"no measure": `<svg xmlns="http://www.w3.org/2000/svg"/>`, "names": strings.Replace(flat, "<path", `<path id="a"`, 1)} {
		modules["country-flag-icons/3x2/AB.svg"] = &fstest.MapFile{Data: []byte(svg)}
		if _, err := flagSprite(modules, site.MoreFlags); err == nil || !strings.Contains(err.Error(), "ab.svg") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// players is a folder of packages with players.
func players() fstest.MapFS {
	fsys := fstest.MapFS{}
	for _, name := range append(append([]string{}, scripts...), licences...) {
		fsys[name] = &fstest.MapFile{Data: []byte("// " + name + "\n")}
	}
	return fsys
}

func TestCopyPlayers(t *testing.T) {
	from, to := players(), t.TempDir()
	want := len(scripts) + 1
	if n, err := copyPlayers(from, to); err != nil || n != want {
		t.Fatalf("the first copy wrote %d, %v; want %d", n, err, want)
	}
	if n, err := copyPlayers(from, to); err != nil || n != 0 {
		t.Errorf("the second copy wrote %d, %v; want 0", n, err)
	}
	from["mpegts.js/dist/mpegts.js"].Data = []byte("// another version")
	if n, err := copyPlayers(from, to); err != nil || n != 1 {
		t.Errorf("the copy of another version wrote %d, %v; want 1", n, err)
	}
	text, err := os.ReadFile(filepath.Join(to, licenceFile))
	for _, name := range licences {
		if err != nil || !strings.Contains(string(text), "// "+name) {
			t.Errorf("%s lacks %s: %v", licenceFile, name, err)
		}
	}
}

func TestCopyPlayersRefuses(t *testing.T) {
	for _, name := range []string{scripts[0], licences[1]} {
		for what, data := range map[string][]byte{"missing": nil, "empty": {}, "too large": make([]byte, mostBytes+1)} {
			from := players()
			if data == nil {
				delete(from, name)
			} else {
				from[name].Data = data
			}
			if _, err := copyPlayers(from, t.TempDir()); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%s %s: error %v", name, what, err)
			}
		}
	}
}
