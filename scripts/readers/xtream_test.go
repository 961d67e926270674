package readers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/library"
)

// TestXtream logs in with a client of Xtream Codes, which must read the categories, the
// channels with the addresses that play them, and the guide.
func TestXtream(t *testing.T) {
	node := need(t, "node")
	if _, err := os.Stat(filepath.Join("node_modules", "@iptv", "xtream-api")); err != nil {
		lack(t, "@iptv/xtream-api")
	}
	s := start(t)
	token := strings.TrimPrefix(s.library(t, "g_ana", all()...), s.base+library.FeedsPath)
	username, password := library.LoginOf(token, "")
	log := func(password string, got any) {
		cmd := exec.Command(node, "xtream.mjs", s.base, username, password)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err == nil {
			err = json.Unmarshal(out, got)
		}
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	type channel struct {
		Name, Guide string
		Number      int
		URL         string
	}
	type programme struct{ Title, Start string }
	type answer struct {
		Auth       int
		Zone       string
		Categories []string
		Channels   []channel
		Within     int
		Named      []string
		Short      []programme
		Full       []string
		Times      bool // of all programmes are right
		Films      []any
	}
	var got answer
	log(password, &got)
	want := answer{Auth: 1, Zone: "UTC", Categories: []string{folder + " / Geral"}, Within: 3, Times: true, Films: []any{}}
	for i, c := range channels {
		name := strings.Join(strings.Fields(c.name), " ")
		number := got.Channels[min(i, len(got.Channels)-1)].Number
		want.Named = append(want.Named, name)
		want.Channels = append(want.Channels, channel{
			Name: name, Guide: channelID(i) + "@SD", Number: number, URL: fmt.Sprint(s.base, library.LivePath+"/", username, "/", password, "/", number, ".m3u8"),
		})
	}
	for k := range shows {
		want.Full = append(want.Full, want.Named[k%len(channels)])
	}
	for _, p := range got.Short {
		at, err := strconv.ParseInt(p.Start, 10, 64)
		if err != nil || at+3*60*60 <= s.now.Unix() {
			t.Errorf("a programme that has ended: %+v, %v", p, err)
		}
	}
	if len(got.Short) != 2 {
		t.Errorf("short guide %+v", got.Short)
	}
	got.Short = nil
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	s.leads(t, got.Channels[0].URL, fmt.Sprintf("%s/api/s/%s.m3u8", s.hop, catalog.StreamID(1)))
	var refused answer
	if log("wrong", &refused); refused.Auth != 0 || refused.Channels != nil {
		t.Errorf("a wrong password is answered %+v", refused)
	}
}

// leads checks that an address redirects to another one.
func (s *stack) leads(t *testing.T, address, want string) {
	t.Helper()
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if got := res.Header.Get("Location"); res.StatusCode != http.StatusFound || got != want {
		t.Errorf("%s leads to %q, want %q", address, got, want)
	}
}
