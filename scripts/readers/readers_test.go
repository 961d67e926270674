package readers

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/scripts/players/journal"
	"miramundo.dev/scripts/players/player"
	"miramundo.dev/shared/catalog"
)

// lack skips a test because a program is missing, or fails it where all programs are
// required.
func lack(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("MIRAMUNDO_READERS") == "required" {
		t.Fatal("no " + what)
	}
	t.Skip("no " + what)
}

// need returns the path of a program, or skips the test.
func need(t *testing.T, program string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("programs take their time")
	}
	path, err := exec.LookPath(program)
	if err != nil {
		lack(t, program)
	}
	return path
}

func readAll(res *http.Response) ([]byte, error) {
	if res.StatusCode != http.StatusOK {
		return nil, errors.New(res.Status)
	}
	return io.ReadAll(res.Body)
}

// TestParser reads the lists of a library and of a public one with the parser of iptv-org,
// which several players use.
func TestParser(t *testing.T) {
	node := need(t, "node")
	if _, err := os.Stat(filepath.Join("node_modules", "iptv-playlist-parser")); err != nil {
		lack(t, "iptv-playlist-parser")
	}
	s := start(t)
	for _, base := range []string{s.library(t, "g_ana", all()...), s.publish(t, "g_ana")} {
		s.parse(t, node, base)
	}
}

// parse checks what the parser reads of the list of all channels below base.
func (s *stack) parse(t *testing.T, node, base string) {
	t.Helper()
	cmd := exec.Command(node, "parse.mjs")
	cmd.Stdin = bytes.NewReader(fetch(t, base+"/library.m3u"))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	type entry struct{ ID, Name, TVGName, Group, URL, Referrer, Agent string }
	var got, want struct {
		Guide, Other string
		Entries      []entry
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want.Guide = base + "/guia.xml.gz"
	want.Other = want.Guide
	for i, c := range channels {
		want.Entries = append(want.Entries, entry{
			ID: channelID(i) + "@SD", Name: c.meant, TVGName: strings.ReplaceAll(c.meant, "\u00a0", " "), Group: meantPath,
			URL: fmt.Sprintf("%s/api/s/%s.m3u8", s.hop, catalog.StreamID(i+1)), Referrer: referrer, Agent: agent,
		})
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// complaints are the messages of the validator about correct guides: their ids are
// those of iptv-org, which contain an "@".
var complaints = regexp.MustCompile(`^(Line \d+ Invalid channel-id 'Channel\d+\.br@SD'|\d+ errors? found\.)$`)

// TestGuide checks guides with the validator of XMLTV.
func TestGuide(t *testing.T) {
	validator := need(t, "tv_validate_file")
	s := start(t)
	base := s.library(t, "g_ana", all()...)
	open := s.publish(t, "g_ana")
	for _, path := range []string{base + "/guia.xml", base + "/c/noticias-brasil-1-2/guia.xml", base + "/c/noticias-brasil-1-2/g/geral/guia.xml", open + "/guia.xml", open + "/noticias-brasil-1-2/guia.xml"} {
		text := fetch(t, path)
		if n := bytes.Count(text, []byte("</programme>")); n != shows*len(channels) {
			t.Errorf("%s: %d programmes", path, n)
		}
		said := validate(t, validator, text)
		if n := strings.Count(said, "Invalid channel-id"); n != len(channels) {
			t.Errorf("%s: the validator saw %d channels", path, n)
		}
		for line := range strings.Lines(said) {
			if line = strings.TrimSpace(line); line != "" && !complaints.MatchString(line) {
				t.Errorf("%s: %s", path, line)
			}
		}
	}
	if said := validate(t, validator, []byte("<tv><channel/></tv>")); !strings.Contains(said, "not valid") {
		t.Errorf("the validator says of what is no guide: %s", said)
	}
}

// validate returns the messages of the validator about a guide, and an error when
// there are any.
func validate(t *testing.T, validator string, guide []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "guia.xml")
	if err := os.WriteFile(file, guide, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(validator, file)
	cmd.Env = append(os.Environ(), "XMLTV_SUPPLEMENT=/usr/share/xmltv") // the installed DTD, so that it does not fetch one
	out, err := cmd.CombinedOutput()
	if failed := new(exec.ExitError); err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	return string(out)
}

// TestPlay opens feeds with players, which must fetch the segments of a channel.
func TestPlay(t *testing.T) {
	if testing.Short() {
		t.Skip("players take their time")
	}
	s := startAll(t)
	base := s.library(t, "g_one", 6)
	open := strings.TrimPrefix(s.publish(t, "g_one"), s.base)
	dir := t.TempDir()
	for _, p := range player.Programs(dir) {
		formats := map[string][]string{
			"mpv": {"/library.m3u", "/library.m3u8", "/c/noticias-brasil-1-2/g/geral.m3u", open + "/library.m3u"},
			"vlc": {"/library.m3u", "/library.m3u8", "/library.xspf", "/c/noticias-brasil-1-2.xspf", open + "/noticias-brasil-1-2.xspf"},
		}[p.Name]
		for _, path := range formats {
			t.Run(p.Name+path, func(t *testing.T) {
				if p.Lacks != nil {
					lack(t, p.Name)
				}
				before := len(s.segments(p.Name))
				address := base + path
				if strings.HasPrefix(path, open) {
					address = s.base + path
				}
				seen, err := p.Play(t.Context(), player.Stream{Name: path, URL: address})
				if err != nil {
					t.Fatal(err)
				}
				if n := len(s.segments(p.Name)) - before; n == 0 {
					t.Errorf("played %s without a segment of the origin", seen.Note)
				}
			})
		}
	}
}

// agents are the beginnings of the User-Agent of each player. VLC sends the one that
// the list names for the origin.
var agents = map[string]string{"mpv": "mpv", "vlc": agent}

// segments returns the segments of the test channel that a player fetched.
func (s *stack) segments(name string) []journal.Entry {
	return s.origin.Select(func(e journal.Entry) bool {
		return strings.HasSuffix(e.Path, ".ts") && e.Status < 300 && e.UserAgent == agents[name]
	})
}

// TestVLC checks what VLC reads: the names of all channels from M3U, and the tree of
// folders from XSPF.
func TestVLC(t *testing.T) {
	vlc := need(t, "vlc")
	s := start(t)
	base := s.library(t, "g_ana", all()...)
	var want []string
	for _, c := range channels {
		want = append(want, c.meant)
	}
	got, said := ask(t, vlc, base+"/library.m3u")
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("M3U: %s\n%s", d, said)
	}
	got, said = ask(t, vlc, base+"/library.xspf", "--playlist-tree")
	want = []string{"library.xspf", folder, "Geral"}
	for i := range channels {
		want = append(want, catalog.StreamID(i+1).String()+".m3u8") // VLC lists file names here, not titles
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("XSPF: %s\n%s", d, said)
	}
}

// item matches a line of VLC's list below its own folders: the name, and a
// length where VLC shows one.
var item = regexp.MustCompile(`^\|(?:  )+- (.*?)(?: \(\d\d:\d\d\))?$`)

// ask opens a list with VLC, and returns the names that it lists and its whole output.
func ask(t *testing.T, vlc, url string, more ...string) (names []string, said string) {
	t.Helper()
	home := t.TempDir()
	args := slices.Concat([]string{"env", "HOME=" + home, "XDG_RUNTIME_DIR=" + home, "LC_ALL=C.UTF-8", vlc}, more,
		[]string{"-I", "oldrc", "--rc-fake-tty", "--no-lua", "--no-color", "--vout=dummy", "--aout=dummy", url})
	if os.Geteuid() == 0 { // VLC refuses to run as root
		args = append([]string{need(t, "runuser"), "-u", "nobody", "--"}, args...)
		for dir := home; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
			if err := os.Chmod(dir, 0o777); err != nil {
				t.Fatal(err)
			}
		}
	}
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said = talk(t, in, out)
	if err := cmd.Wait(); err != nil {
		t.Errorf("vlc: %v: %s", err, said)
	}
	for line := range strings.Lines(said) {
		if m := item.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			names = append(names, m[1])
		}
	}
	return names, said
}

// ready is the number of lines that VLC lists, at least, when it has read the list:
// one for each channel.
var ready = len(channels) + 2

// talk asks VLC for its listing until that has all channels, stops VLC, and returns
// the last listing.
func talk(t *testing.T, in io.WriteCloser, out io.Reader) (listing string) {
	t.Helper()
	lines := bufio.NewScanner(out)
	for deadline := time.Now().Add(patience); strings.Count(listing, "\n") < ready && time.Now().Before(deadline); {
		if _, err := io.WriteString(in, "playlist\n"); err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for lines.Scan() && !strings.HasPrefix(lines.Text(), "playlist: returned") {
			if line := strings.TrimPrefix(lines.Text(), "> "); strings.HasPrefix(line, "|") {
				b.WriteString(line + "\n")
			}
		}
		listing = b.String()
	}
	if _, err := io.WriteString(in, "quit\n"); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() { // until it has ended
	}
	return listing
}

// patience is how long VLC may take to read a list.
const patience = 40 * time.Second
