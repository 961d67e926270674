package liveorigin

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestOrigin asks every form for what its playlists name.
func TestOrigin(t *testing.T) {
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		t.Skip("no ffmpeg")
	}
	o, err := Start(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	for _, f := range Forms {
		if f.Secure || f.Redirected() {
			continue
		}
		t.Run(f.Name, func(t *testing.T) { follow(t, o.URL(f), 4) }) // a list leads to a master
	}
}

// follow fetches an address and all that its playlist names.
func follow(t *testing.T, address string, depth int) {
	res, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK || len(body) == 0 || depth == 0 {
		t.Fatalf("%s: %s, %d bytes, %v", address, res.Status, len(body), err)
	}
	if !strings.HasPrefix(string(body), "#EXTM3U") {
		return
	}
	named := 0
	for line := range strings.Lines(string(body)) {
		ref := strings.TrimSpace(line)
		if strings.HasPrefix(ref, "#") {
			_, ref, _ = strings.Cut(ref, `URI="`)
			ref, _, _ = strings.Cut(ref, `"`)
			if strings.Contains(line, "RENDITION-REPORT") {
				continue
			}
		}
		if ref == "" {
			continue
		}
		u, err := res.Request.URL.Parse(ref)
		if err != nil {
			t.Fatal(err)
		}
		named++
		follow(t, u.String(), depth-1)
	}
	if named == 0 {
		t.Errorf("%s names nothing:\n%s", address, body)
	}
}

// TestSplit takes files apart, those that are cut too.
func TestSplit(t *testing.T) {
	box := func(kind, body string) string {
		return string([]byte{0, 0, 0, byte(8 + len(body))}) + kind + body
	}
	for _, test := range []struct {
		name, data string
		parts      []string
		fails      bool
	}{
		{"two fragments", box("ftyp", "x") + box("moov", "") + box("moof", "1") + box("mdat", "a") + box("moof", "2") + box("mdat", "b"),
			[]string{box("moof", "1") + box("mdat", "a"), box("moof", "2") + box("mdat", "b")}, false},
		{"no fragment", box("ftyp", ""), nil, true},
		{"nothing", "", nil, true},
		{"cut in a header", box("moof", "1")[:7], nil, true},
		{"cut in a body", box("moof", "123")[:10], nil, true},
		{"a size of zero", "\x00\x00\x00\x00moof", nil, true},
	} {
		f, err := split([]byte(test.data))
		var parts []string
		for _, p := range f.parts {
			parts = append(parts, string(p))
		}
		if (err != nil) != test.fails {
			t.Errorf("%s: error %v", test.name, err)
		}
		if diff := cmp.Diff(test.parts, parts); diff != "" && !test.fails {
			t.Errorf("%s: parts (-want +got):\n%s", test.name, diff)
		}
	}
}

// TestAwait waits as long as a part takes, under a clock of its own.
func TestAwait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		l := &lowLatency{fragments{parts: make([][]byte, 100)}, start, time.Now}
		edge := lowShown * partsEach
		for _, test := range []struct {
			part int
			want error
			took time.Duration
		}{
			{edge - 1, nil, 0},
			{edge + 2*partsEach, errAhead, 0},
			{edge, nil, partLength},
			{edge, nil, partLength},
			{edge + 2, nil, 3 * partLength},
			{1000, errAhead, 3 * partLength},
		} {
			if err := l.await(t.Context(), test.part); !errors.Is(err, test.want) || time.Since(start) != test.took {
				t.Errorf("part %d: %v after %v, want %v after %v", test.part, err, time.Since(start), test.want, test.took)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := l.await(ctx, l.edge()); err == nil {
			t.Error("a request that was given up was answered")
		}
	})
}

// TestWanted reads delivery directives.
func TestWanted(t *testing.T) {
	for _, test := range []struct {
		msn, part string
		n         int
		ok, fails bool
	}{
		{"", "", 0, false, false},
		{"3", "1", 13, true, false},
		{"3", "", 15, true, false},
		{"3", "4", 16, true, false}, // beyond the last part: the next segment's first
		{"", "1", 0, false, true},
		{"-1", "", 0, false, true},
		{"3", "x", 0, false, true},
		{"99999999999999999999", "", 0, false, true},
	} {
		n, ok, err := wanted(test.msn, test.part)
		if (err != nil) != test.fails || !test.fails && (n != test.n || ok != test.ok) {
			t.Errorf("_HLS_msn=%s&_HLS_part=%s is %d, %v, %v", test.msn, test.part, n, ok, err)
		}
	}
}
