package server

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"miramundo.dev/shared/catalog"
)

// reference returns the rows of a category of the reference file, or skips.
func reference(t *testing.T, kind string) (rows [][]string) {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		text, err := os.ReadFile(filepath.Join(dir, "shared", "data", "ssrf_cases.tsv"))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			row := strings.Split(strings.TrimRight(line, "\n"), "\t")
			if strings.HasPrefix(line, kind) && len(row) >= 5 {
				rows = append(rows, row)
			}
		}
		return rows
	}
	t.Skip("no ../shared/data")
	return nil
}

var shortened = regexp.MustCompile(`(.)…\((\d+) chars\)$`)

// spelled writes out an input that the file shortens or escapes.
func spelled(input string) string {
	input = strings.NewReplacer(`\r`, "\r", `\n`, "\n").Replace(input)
	m := shortened.FindStringSubmatchIndex(input)
	if m == nil {
		return input
	}
	n, _ := strconv.Atoi(input[m[4]:m[5]])
	return input[:m[0]] + strings.Repeat(input[m[2]:m[3]], n-m[0])
}

// names are what names of the reference file lead to that may not be asked.
// A name that another one stands for has that one's address.
var names = map[string]string{
	"loop": "127.0.0.1", "v6loop": "::1", "sixtofour": "2002:7f00:1::", "ll": "fe80::1", "meta": "169.254.169.254",
	"cname": "169.254.169.254", "ula": "fd00:ec2::254", "cgnat": "100.64.0.1", "wire": "168.63.129.16",
	"bcast": "255.255.255.255", "rebind": "127.0.0.1", "mixed1": "10.0.0.1",
	"xn--bcher-kva": "127.0.0.1",
}

// A zone answers DNS questions: each name of example.com as names says, and
// everything under nip.io by the address that the name begins with.
type zone struct {
	mu    sync.Mutex
	asked map[string]int
	first map[string]string // what a name leads to the first time
}

func (z *zone) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go z.serve(server)
		return client, nil
	}}
}

// serve answers as over TCP, which is how a pipe is taken.
func (z *zone) serve(conn net.Conn) {
	defer conn.Close()
	for {
		var size uint16
		if binary.Read(conn, binary.BigEndian, &size) != nil {
			return
		}
		query := make([]byte, size)
		var m dnsmessage.Message
		if _, err := io.ReadFull(conn, query); err != nil || m.Unpack(query) != nil {
			return
		}
		z.answer(&m)
		reply, err := m.Pack()
		if err != nil {
			panic(err)
		}
		conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(reply))), reply...))
	}
}

func (z *zone) answer(m *dnsmessage.Message) {
	q := m.Questions[0]
	m.Response, m.Additionals = true, nil
	addr, ok := z.lookup(strings.ToLower(q.Name.String()), q.Type)
	head := dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET, TTL: 1}
	switch {
	case !ok:
		m.RCode = dnsmessage.RCodeNameError
	case addr.Is4() && q.Type == dnsmessage.TypeA:
		m.Answers = []dnsmessage.Resource{{Header: head, Body: &dnsmessage.AResource{A: addr.As4()}}}
	case !addr.Is4() && q.Type == dnsmessage.TypeAAAA:
		m.Answers = []dnsmessage.Resource{{Header: head, Body: &dnsmessage.AAAAResource{AAAA: addr.As16()}}}
	}
}

func (z *zone) lookup(name string, typ dnsmessage.Type) (netip.Addr, bool) {
	z.mu.Lock()
	defer z.mu.Unlock()
	label, isExample := strings.CutSuffix(name, ".example.com.")
	text := names[label]
	if first, ok := z.first[label]; ok && z.asked[label] == 0 {
		text = first
	}
	if typ == dnsmessage.TypeA {
		z.asked[label]++
	}
	if nip, ok := strings.CutSuffix(name, ".nip.io."); ok {
		text, isExample = nip, true
	}
	addr, err := netip.ParseAddr(text)
	return addr, isExample && err == nil
}

func newZone() *zone { return &zone{asked: map[string]int{}} }

// TestReferenceAddresses asks the hop for a stream at each address of the file
// that may not be fetched, as the stream's own and as a playlist below one. A
// connection that is tried ends as 503: the answer says that none was. Those
// that may be fetched are beyond loopback, and left to package origin.
func TestReferenceAddresses(t *testing.T) {
	rows := reference(t, "U")
	streams := []catalog.StreamRecord{{URL: "/master.m3u8"}}
	for _, row := range rows {
		streams = append(streams, catalog.StreamRecord{URL: spelled(row[2])})
	}
	w := start(t, setup{streams: streams, resolver: newZone().resolver()})
	refused := 0
	for i, row := range rows {
		if row[3] != "refused" {
			continue
		}
		refused++
		want := "422 playlist_origem"
		if strings.Contains(row[2], "nxdomain") {
			want = "503 playlist_indisponivel" // there is no such name: the note of the row allows it
		}
		if got := ending(w.get(path(i+2, ""))); got != want {
			t.Errorf("%s %.80q: %s, want %s", row[0], row[2], got, want)
		}
	}
	if refused < 70 {
		t.Errorf("only %d rows of the file are refused", refused)
	}
}

// differs matches what a browser reads as another address when it stands in a
// playlist: blanks and line ends end it, "http:x" is relative, and a backslash
// is a slash.
var differs = regexp.MustCompile(`[\s\\]|^https?:[^/]|nxdomain`)

// TestReferenceBelow does the same with references of a playlist.
func TestReferenceBelow(t *testing.T) {
	var rows [][]string
	for _, row := range reference(t, "U") {
		address := spelled(row[2])
		if row[3] == "refused" && strings.HasPrefix(address, "http") && !differs.MatchString(address) {
			rows = append(rows, row)
		}
	}
	w := start(t, setup{
		streams:  make([]catalog.StreamRecord, len(rows)),
		resolver: newZone().resolver(),
	})
	streams := make([]catalog.StreamRecord, len(rows))
	for i := range rows {
		streams[i].URL = fmt.Sprintf("/%d", i)
	}
	w.show(streams)
	w.serve(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		i, _ := strconv.Atoi(r.URL.Path[1:])
		fmt.Fprintf(rw, "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n%s\n", spelled(rows[i][2]))
	}))
	for i, row := range rows {
		a := w.get(path(i+1, ""))
		if a.StatusCode == 200 {
			a = w.get(w.child(a.body))
		}
		// An address that is too long for a ticket is over a limit.
		if got := ending(a); got != "422 playlist_origem" && (got != "422 playlist_limite" || len(spelled(row[2])) < 4500) {
			t.Errorf("%s %.80q below a playlist: %s", row[0], row[2], got)
		}
	}
	if len(rows) < 60 {
		t.Errorf("only %d rows", len(rows))
	}
}

// TestReferenceServers asks the hop for each path of the file.
func TestReferenceServers(t *testing.T) {
	rows := reference(t, "L")
	alias := map[string]string{"/ok.m3u8": "/live/ok.m3u8"}
	h := newHostile(t)
	var streams []catalog.StreamRecord
	for _, row := range rows {
		url := row[2]
		if to, ok := alias[url]; ok {
			url = to
		}
		streams = append(streams, catalog.StreamRecord{URL: url})
	}
	quick := start(t, setup{streams: streams, origin: h, patience: 200 * time.Millisecond})
	w := start(t, setup{streams: streams, origin: h})
	for i, row := range rows {
		t.Run(row[0]+row[2], func(t *testing.T) {
			at := w
			if slices.Contains(slow, row[2]) {
				at = quick
			}
			got := ending(at.get(path(i+1, "")))
			if !agrees(got, row[3]) {
				t.Errorf("%s, and the file says %s", got, row[3])
			}
		})
	}
	if n := h.reached.Load(); n != 0 {
		t.Errorf("%d requests reached the inner server", n)
	}
}

// agrees reports whether an ending is what the file says, in its words.
func agrees(got, said string) bool {
	for want := range strings.SplitSeq(said, " or ") {
		want, _, _ = strings.Cut(want, ":")
		switch {
		case want == "ok" && strings.HasPrefix(got, "200"):
			return true
		case want == "timeout" && strings.HasPrefix(got, "503 playlist_indisponivel"):
			return true
		case strings.HasPrefix(said, "refused: more than"):
			return strings.HasPrefix(got, "422 playlist_limite")
		case strings.HasPrefix(want, "refused") && strings.HasPrefix(got, "422 playlist_origem"):
			return true
		case strings.HasPrefix(want, "playlist_") && strings.HasPrefix(got, "422 "+want):
			return true
		}
	}
	return false
}

// TestRebinding checks a name that is public when it is checked and inner when
// it is used: what is dialled is what was checked.
func TestRebinding(t *testing.T) {
	z := newZone()
	z.first = map[string]string{"rebind": "93.184.216.34"}
	w := start(t, setup{streams: []catalog.StreamRecord{{URL: "http://rebind.example.com/x.m3u8"}}, resolver: z.resolver()})
	addrs, err := z.resolver().LookupHost(t.Context(), "rebind.example.com")
	if err != nil || len(addrs) != 1 || addrs[0] != "93.184.216.34" {
		t.Fatalf("the first look-up gives %v, %v", addrs, err)
	}
	checkEnding(t, w.get(path(1, "")), "422 playlist_origem")
	if z.asked["rebind"] < 2 {
		t.Error("the hop did not look the name up")
	}
}
