package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"miramundo.dev/miramundo/backup"
	"miramundo.dev/miramundo/datafolder"
	"miramundo.dev/miramundo/machine"
	"miramundo.dev/scripts/dev/mailbox"
	"miramundo.dev/shared/billing/facilitator"
	"miramundo.dev/shared/billing/localnet"
	"miramundo.dev/shared/blob"
	"miramundo.dev/shared/catalog/release"
	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/mail/folder"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
)

// A running stack is one that a test started.
type running struct {
	base  string
	lines []string   // printed until start returned
	stop  func()     // as SIGTERM does
	ended chan error // gets what run returned
	rest  chan string
}

// talks posts a message over HTTP and reads it on a socket behind the gateway.
func talks(t *testing.T, base string) {
	t.Helper()
	res, err := http.Post(base+"/api/guest", "application/json", nil)
	if err != nil {
		t.Fatal(err)
	}
	var guest struct{ Token string }
	err = json.NewDecoder(res.Body).Decode(&guest)
	res.Body.Close()
	req, _ := http.NewRequestWithContext(t.Context(), "POST", base+"/api/chat/MiramundoTest.br/mensagens", strings.NewReader(`{"body":"good evening"}`))
	req.Header.Set("X-Guest-Token", guest.Token)
	req.Header.Set("Content-Type", "application/json")
	if err == nil {
		res, err = http.DefaultClient.Do(req)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	status := res.StatusCode // a pass is sold where payments are taken
	if status != http.StatusOK && status != http.StatusPaymentRequired {
		t.Errorf("a message is answered with %d", status)
	}
	socket, _, err := websocket.Dial(t.Context(), base+"/api/chat/MiramundoTest.br/ws", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { socket.CloseNow() })
	if _, text, err := socket.Read(t.Context()); err != nil || !strings.HasPrefix(string(text), `{"t":"pronto"`) || strings.Contains(string(text), "good evening") != (status == http.StatusOK) {
		t.Errorf("a message is answered with %d, and the socket is greeted with %s, %v", status, text, err)
	}
}

// TestStack goes the way of a new user: start, search, play, stop.
func TestStack(t *testing.T) {
	data := t.TempDir()
	r := start(t, settings{data: data, catalog: machine.Sample})
	var page struct {
		Items []struct{ ID, API string }
		Total int
	}
	getJSON(t, r.base+"/api/channels?q=miramundo", &page)
	if page.Total != 1 || page.Items[0].ID != "MiramundoTest.br" {
		t.Fatalf("a search for the test channel finds %+v", page)
	}
	var full struct {
		Streams []struct {
			Kind, URL   string
			ProviderURL string `json:"provider_url"`
			LegacyURL   string `json:"legacy_url"`
		}
	}
	getJSON(t, page.Items[0].API, &full)
	if len(full.Streams) != 1 || full.Streams[0].Kind != "hls" {
		t.Fatalf("the test channel has the streams %+v", full.Streams)
	}
	if body := fetch(t, full.Streams[0].ProviderURL); !strings.HasPrefix(body, "#EXTM3U") {
		t.Errorf("its stream is %q", body)
	}
	if body := fetch(t, full.Streams[0].URL); !strings.Contains(body, "/api/s/") {
		t.Errorf("the hop gives the playlist %q, want its variants through the hop", body)
	}
	if body := fetch(t, full.Streams[0].LegacyURL); !strings.Contains(body, "data-stream=") {
		t.Errorf("the legacy player is %q", body)
	}
	var stations struct{ Total int }
	if getJSON(t, r.base+"/api/channels?kind=radio", &stations); stations.Total < 40 {
		t.Errorf("the sample has %d stations, want 40 and the test tone", stations.Total)
	}
	var geo struct{ Country, Source string }
	if getJSON(t, r.base+"/api/geo", &geo); geo.Country != "BR" || geo.Source == "fallback" {
		t.Errorf("the gateway tells no country as an edge does: %+v", geo)
	}
	keeper := folder.New(filepath.Join(data, "mail"), mail.Letterhead{From: "mail@m.example", Base: r.base, Now: time.Now})
	if err := keeper.Send(t.Context(), mail.Message{To: "maria@example.org", Content: mail.SignIn{Code: "123456", Link: r.base, Holds: time.Minute}}); err != nil {
		t.Fatal(err)
	}
	var box struct{ Mails []folder.Kept }
	if getJSON(t, r.base+mailbox.Path+"?format=json", &box); len(box.Mails) != 1 || box.Mails[0].Code != "123456" {
		t.Errorf("the stack shows the mails %+v", box.Mails)
	}
	money := paymentsOf(t, r)
	const wallet = "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf"
	res, err := http.Post(money+localnet.FaucetPath, "application/json", strings.NewReader(`{"address":"`+wallet+`"}`))
	if err != nil || res.StatusCode != http.StatusOK {
		t.Errorf("the faucet answers %v, %v", res, err)
	}
	res.Body.Close()
	for _, part := range []string{r.base, money + facilitator.SupportedPath, r.base + mailbox.Path, full.Streams[0].URL, full.Streams[0].LegacyURL, full.Streams[0].ProviderURL} {
		refusesOtherHosts(t, part)
	}
	talks(t, r.base)
	listener := listenTo(t, strings.TrimSuffix(full.Streams[0].ProviderURL, "/tv/master.m3u8")+"/station.mp3")
	r.stop()
	if err := <-r.ended; err != nil {
		t.Fatalf("run = %v after a stop", err)
	}
	if _, err := io.Copy(io.Discard, listener); err != nil {
		t.Errorf("the listener of the station was cut off with %v", err)
	}
	if rest := <-r.rest; !strings.HasSuffix(rest, "stopping\nstopped\n") {
		t.Errorf("the last lines are %q", rest)
	}

	// The second time there is something to show at once.
	again := start(t, settings{data: data, catalog: machine.Sample})
	if said := strings.Join(again.lines, "\n"); !strings.Contains(said, "serving what") {
		t.Errorf("the second start said:\n%s", said)
	}
	var held struct{ USD string }
	if getJSON(t, paymentsOf(t, again)+"/balance/"+wallet, &held); held.USD != "10.00" {
		t.Errorf("after a restart the wallet holds %q", held.USD)
	}
	again.stop()
	if err := <-again.ended; err != nil {
		t.Errorf("run = %v after the second stop", err)
	}
}

// paymentsOf returns where the network of payments of a stack is.
func paymentsOf(t *testing.T, r *running) string {
	t.Helper()
	for _, line := range r.lines {
		if address, ok := strings.CutPrefix(line, "payments with test money at "); ok {
			return address
		}
	}
	t.Fatalf("the stack does not say where payments are:\n%s", strings.Join(r.lines, "\n"))
	return ""
}

// TestStackPayments checks which settings of payments a stack decides: all of them, or
// none when the environment says to whom payments go.
func TestStackPayments(t *testing.T) {
	for _, to := range []string{"", "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf"} {
		t.Setenv("PAYMENT_TO", to)
		t.Setenv("PAYMENT_FACILITATORS", "")
		if to != "" {
			t.Setenv("PAYMENT_FACILITATORS", "https://facilitator.example")
		}
		st := &stack{settings: settings{data: t.TempDir(), backend: "embedded"}}
		st.at = layout{"127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3", "127.0.0.1:6", "127.0.0.1:4", "127.0.0.1:5"}
		if err := st.configure(t.Context()); err != nil {
			t.Fatal(err)
		}
		c := st.cfg
		got := []string{c.PaymentNetwork, strings.Join(c.PaymentFacilitators, " "), c.PaymentRPC, c.PaymentFaucet}
		want := []string{"base-sepolia", "http://127.0.0.1:5", "http://127.0.0.1:5/rpc", "http://127.0.0.1:5/faucet"}
		if to != "" {
			want = []string{"base", "https://facilitator.example", "", ""}
		}
		if diff := cmp.Diff(want, got); diff != "" || (to != "" && c.PaymentTo != to) || c.PaymentTo == "" {
			t.Errorf("with PAYMENT_TO=%q payments go to %q (-want +got):\n%s", to, c.PaymentTo, diff)
		}
	}
}

// TestStackTakesAnotherCatalog starts with a folder where the sample was: the
// small catalog takes the place of the large one, for that was asked for.
func TestStackTakesAnotherCatalog(t *testing.T) {
	data := t.TempDir()
	first := start(t, settings{data: data, catalog: machine.Sample})
	first.stop()
	<-first.ended
	second := start(t, settings{data: data, catalog: small(t, "https://one.example/live.m3u8")})
	var page struct{ Items []struct{ ID string } }
	getJSON(t, second.base+"/api/channels?country=PT", &page)
	if diff := cmp.Diff([]struct{ ID string }{{"One.pt"}}, page.Items); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	second.stop()
	<-second.ended
}

// TestStackReplacesAnotherFormat starts on the data of a version that had another
// snapshot format: the catalog is loaded anew instead of the start failing.
func TestStackReplacesAnotherFormat(t *testing.T) {
	data := t.TempDir()
	folder := small(t, "https://one.example/live.m3u8")
	first := start(t, settings{data: data, catalog: folder})
	first.stop()
	<-first.ended
	changeFormat(t, data)
	second := start(t, settings{data: data, catalog: folder})
	if said := strings.Join(second.lines, "\n"); !strings.Contains(said, "is replaced: ") {
		t.Errorf("the start said:\n%s", said)
	}
	var page struct{ Total int }
	if getJSON(t, second.base+"/api/channels?country=PT", &page); page.Total != 1 {
		t.Errorf("%d channels are shown, want one", page.Total)
	}
	second.stop()
	<-second.ended
}

// changeFormat gives the current release in the data folder of a stack another
// format than this version has.
func changeFormat(t *testing.T, data string) {
	t.Helper()
	db, err := embedded.Open(filepath.Join(data, "miramundo.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	a := release.Archive{DB: db, Now: time.Now}
	p, err := a.Current(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	snapshot, err := a.Load(t.Context(), p.Version)
	if err != nil {
		t.Fatal(err)
	}
	snapshot[len("MIRACAT")]--
	if err := blob.Put(t.Context(), db, store.Path("snapshots").Join(p.Version), snapshot); err != nil {
		t.Fatal(err)
	}
}

// TestStackJobs has each job run at the start, on a catalog that is on this
// machine alone.
func TestStackJobs(t *testing.T) {
	data := t.TempDir()
	r := start(t, settings{data: data, catalog: small(t, "https://127.0.0.1/live.m3u8"), jobs: true})
	token, err := os.ReadFile(filepath.Join(data, datafolder.TokenFile))
	if said := strings.Join(r.lines, "\n"); err != nil || !strings.Contains(said, "operator token "+strings.TrimSpace(string(token))+" (") {
		t.Fatalf("the stack did not print its operator token (%v):\n%s", err, said)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.base+"/api/admin/catalogo", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var status struct {
		Jobs    []string
		Reports []struct {
			Job   string
			OK    bool
			Error string
		}
	}
	if err := json.NewDecoder(res.Body).Decode(&status); err != nil {
		t.Fatal(err)
	}
	var ran []string
	for _, report := range status.Reports {
		ran = append(ran, report.Job)
		if !report.OK {
			t.Errorf("%s: %s", report.Job, report.Error)
		}
	}
	if diff := cmp.Diff(status.Jobs, ran); diff != "" || len(ran) < 4 {
		t.Errorf("the jobs that ran (-want +got):\n%s", diff)
	}
	if all, err := backup.List(filepath.Join(data, "backups"), time.Now()); len(all) != 1 || err != nil {
		t.Errorf("the backups are %v, %v, want one", all, err)
	}
	r.stop()
	if err := <-r.ended; err != nil {
		t.Errorf("run = %v after a stop", err)
	}
}

// small returns a folder with the catalog of one channel of Portugal, which has
// a stream.
func small(t *testing.T, stream string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"channels.json": `[{"id":"One.pt","name":"One","country":"PT"}]`,
		"feeds.json":    `[{"channel":"One.pt","id":"SD","name":"SD","is_main":true}]`,
		"streams.json":  `[{"channel":"One.pt","feed":"SD","url":"` + stream + `"}]`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestSeed(t *testing.T) {
	var out strings.Builder
	s := settings{layout: anywhere, stackFile: stackFile, data: t.TempDir(), catalog: machine.Sample, backend: "embedded", seed: true}
	if err := run(t.Context(), s, &out); err != nil || !strings.Contains(out.String(), "loaded") {
		t.Errorf("run = %v, and said:\n%s", err, &out)
	}
}

func TestRunRefuses(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		change func(*settings)
		want   string
	}{
		{"a gateway that is taken", func(s *settings) { s.layout.gateway = taken.Addr().String() }, "-gateway " + taken.Addr().String()},
		{"an origin that is taken", func(s *settings) { s.layout.origin = taken.Addr().String() }, "-origin"},
		{"a catalog that is nothing", func(s *settings) { s.catalog = "lively" }, "neither live, nor sample, nor a folder"},
		{"a backend that is none", func(s *settings) { s.backend = "paper" }, "BACKEND"},
		{"no file of the stack", func(s *settings) { s.stackFile = "none.json" }, "none.json"},
		{"a file of something else", func(s *settings) { s.stackFile = file }, "project"},
		{"data that is a file", func(s *settings) { s.data = file }, "data folder"},
		{"an empty folder", func(s *settings) { s.catalog = t.TempDir() }, "no channel and no station"},
	} {
		s := settings{layout: anywhere, stackFile: stackFile, data: t.TempDir(), catalog: machine.Sample, backend: "embedded"}
		test.change(&s)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		if err := run(ctx, s, io.Discard); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: run = %v, want %q", test.name, err, test.want)
		}
	}
}

func TestParse(t *testing.T) {
	env := map[string]string{"CATALOG": "live", "BACKEND": "emulators", "DATA_DIR": "/d"}
	got, err := parse([]string{"-gateway", ":1", "-catalog", "sample"}, env, io.Discard)
	want := settings{layout: layout{gateway: ":1"}, stackFile: "emulator.json", data: "/d", catalog: "sample", backend: "emulators", jobs: true}
	if err != nil || got != want {
		t.Errorf("parse = %+v, %v; want %+v", got, err, want)
	}
	for _, args := range [][]string{{"-nonsense"}, {"word"}, {"-gateway"}} {
		if _, err := parse(args, env, io.Discard); err == nil {
			t.Errorf("parse(%q) gave no error", args)
		}
	}
}

const stackFile = "../../emulator.json"

var anywhere = layout{gateway: "127.0.0.1:0"}

// start starts a stack on free ports, and returns when it is ready and its jobs,
// if it runs them, have run once.
func start(t *testing.T, s settings) *running {
	t.Helper()
	s.layout, s.stackFile, s.backend = anywhere, stackFile, "embedded"
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	r := &running{stop: cancel, ended: make(chan error, 1), rest: make(chan string, 1)}
	out, in := io.Pipe()
	go func() {
		r.ended <- run(ctx, s, in)
		in.Close()
	}()
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("it ended before it was ready, with %v; it said:\n%s", <-r.ended, strings.Join(r.lines, "\n"))
		}
		line = strings.TrimSpace(line)
		r.lines = append(r.lines, line)
		if base, ok := strings.CutPrefix(line, "ready "); ok {
			r.base = base
		}
		if r.base != "" && (!s.jobs || line == "each job has run once") {
			break
		}
	}
	go func() {
		rest, err := io.ReadAll(lines)
		if err != nil {
			rest = append(rest, err.Error()...)
		}
		r.rest <- string(rest)
	}()
	return r
}

// listenTo returns a stream that does not end by itself, after its first bytes.
func listenTo(t *testing.T, address string) io.Reader {
	t.Helper()
	res, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	if _, err := io.ReadFull(res.Body, make([]byte, 192)); err != nil {
		t.Fatal(err)
	}
	return res.Body
}

// refusesOtherHosts checks that the part of the stack at address does not answer
// a web site whose name was made to lead to this machine.
func refusesOtherHosts(t *testing.T, address string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = "rebound.example:" + req.URL.Port()
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusMisdirectedRequest {
		t.Errorf("%s answers %s to a request for %s, want 421", address, res.Status, req.Host)
	}
}

func getJSON(t *testing.T, address string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(fetch(t, address)), v); err != nil {
		t.Fatalf("%s: %v", address, err)
	}
}

func fetch(t *testing.T, address string) string {
	t.Helper()
	if u, err := url.Parse(address); err != nil || !strings.HasPrefix(u.Host, "127.0.0.1:") {
		t.Fatalf("%q is no address of the stack", address)
	}
	res, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %s %v", address, res.Status, body, err)
	}
	return string(body)
}
