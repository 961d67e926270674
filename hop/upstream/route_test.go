package upstream

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/hop/playlist"
	"miramundo.dev/hop/ticket"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/origin"
)

func catalogID(id catalog.StreamID) string { return id.String() }

func unpack(t *testing.T, packed []byte) string {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var ticketForm = regexp.MustCompile(`\?p=([\w-]+)`)

// below returns the request for the n-th reference of a copy.
func (r *rig) below(t *testing.T, req Request, cp *Copy, n int) Request {
	t.Helper()
	found := ticketForm.FindAllSubmatch(cp.Body, -1)
	if len(found) <= n {
		t.Fatalf("no reference %d in %q", n, cp.Body)
	}
	tk, _, err := r.signer.Open(ticket.Binding{Stream: req.Stream, Origin: req.Origin}, string(found[n][1]))
	if err != nil {
		t.Fatal(err)
	}
	req.Ticket = &tk
	return req
}

// TestReferences follows references from the stream's own playlist to the
// greatest depth.
func TestReferences(t *testing.T) {
	r := newRig(t, respond(master))
	req := r.request()
	for depth := 1; depth < playlist.MaxDepth; depth++ {
		cp := r.must(t, req)
		prefix := hop + "/api/s/" + catalogID(7) + "?p="
		if strings.Count(string(cp.Body), prefix) != 2 {
			t.Fatalf("body %q, want two references to %s…", cp.Body, prefix)
		}
		req = r.below(t, req, cp, 1)
		want := ticket.Ticket{URL: r.URL + "/live/high.m3u8", Depth: depth}
		if diff := cmp.Diff(want, *req.Ticket); diff != "" {
			t.Fatalf("ticket (-want +got)\n%s", diff)
		}
	}
	if _, err := r.Get(t.Context(), req); !errors.Is(err, ticket.ErrLong) {
		t.Errorf("the fifth level: %v, want ticket.ErrLong", err)
	}
}

// TestReport checks that a rendition report carries the URL that the parent
// wrote: players compare them byte by byte.
func TestReport(t *testing.T) {
	report := media(1) + "#EXT-X-RENDITION-REPORT:URI=\"high.m3u8\",LAST-MSN=1\n"
	r := newRig(t, func(w http.ResponseWriter, q *http.Request) {
		text := master
		if strings.HasSuffix(q.URL.Path, "/low.m3u8") {
			text = report
		}
		io.WriteString(w, text)
	})
	parent := r.must(t, r.request())
	child := r.must(t, r.below(t, r.request(), parent, 0))
	written := ticketForm.FindAll(parent.Body, -1)[1]
	if want := `URI="` + string(written) + `"`; !strings.Contains(string(child.Body), want) {
		t.Errorf("child %q, want %s in it", child.Body, want)
	}
}

// TestVariables checks that a playlist imports the variables of its parent,
// and that different values give different renderings.
func TestVariables(t *testing.T) {
	r := newRig(t, func(w http.ResponseWriter, q *http.Request) {
		if strings.HasSuffix(q.URL.Path, "/low.m3u8") {
			io.WriteString(w, strings.Replace(media(1), "#EXTINF", "#EXT-X-DEFINE:IMPORT=\"dir\"\n#EXTINF:6,\n{$dir}/x.ts\n#EXTINF", 1))
			return
		}
		io.WriteString(w, strings.Replace(master, "#EXT-X-STREAM", "#EXT-X-DEFINE:NAME=\"dir\",VALUE=\"there\"\n#EXT-X-STREAM", 1))
	})
	req := r.below(t, r.request(), r.must(t, r.request()), 0)
	if cp := r.must(t, req); !strings.Contains(string(cp.Body), "/live/there/x.ts\n") {
		t.Errorf("below %q", cp.Body)
	}
	other := *req.Ticket
	other.Vars = []playlist.Var{{Name: "dir", Value: "elsewhere"}}
	req.Ticket = &other
	if cp := r.must(t, req); !strings.Contains(string(cp.Body), "/live/elsewhere/x.ts\n") {
		t.Errorf("with another value %q", cp.Body)
	}
}

// sessions is an origin that redirects each request to a new session.
type sessions struct {
	*rig
	sessions int
	number   int  // of the first segment
	stands   bool // which does not change
	refuses  int  // status that sessions answer with; 0 for a playlist
	paths    []string
}

func newSessions(t *testing.T) *sessions {
	e := &sessions{}
	e.rig = newRig(t, func(w http.ResponseWriter, q *http.Request) {
		e.paths = append(e.paths, q.URL.Path)
		switch {
		case q.URL.Path == "/live/index.m3u8":
			e.sessions++
			http.Redirect(w, q, fmt.Sprintf("/session/%d/index.m3u8", e.sessions), http.StatusFound)
		case e.refuses != 0 && q.URL.Path == "/session/1/index.m3u8":
			w.WriteHeader(e.refuses)
		default:
			if !e.stands {
				e.number++
			}
			io.WriteString(w, media(e.number))
		}
	})
	return e
}

// TestEdge checks that a session is used again after the redirects led to it.
func TestEdge(t *testing.T) {
	e := newSessions(t)
	for range 5 {
		cp := e.must(t, e.request())
		if want := e.URL + "/session/1/"; !strings.HasPrefix(cp.URL, want) || !strings.Contains(string(cp.Body), fmt.Sprintf("%s%d.ts", want, e.number)) {
			t.Fatalf("from %s: %q", cp.URL, cp.Body)
		}
		e.clock.advance(50 * time.Second)
	}
	if e.sessions != 1 {
		t.Errorf("%d sessions, want 1", e.sessions)
	}
	e.clock.advance(10 * time.Second)
	e.must(t, e.request())
	if e.sessions != 2 {
		t.Errorf("a minute later %d sessions, want 2", e.sessions)
	}
}

// TestEdgeEnds ends sessions with each status.
func TestEdgeEnds(t *testing.T) {
	for _, tc := range []struct {
		status int
		again  bool // the catalog's address is asked at once
	}{{401, true}, {403, true}, {404, true}, {410, true}, {500, false}, {503, false}} {
		e := newSessions(t)
		e.must(t, e.request())
		e.refuses = tc.status
		e.clock.advance(10 * time.Second)
		cp, err := e.Get(t.Context(), e.request())
		if tc.again && (err != nil || cp.URL != e.URL+"/session/2/index.m3u8") {
			t.Errorf("%d: %v, %v; want a new session", tc.status, cp, err)
		}
		if !tc.again && !errors.Is(err, origin.ErrOrigin) {
			t.Errorf("%d: %v, want the failure", tc.status, err)
		}
		e.clock.advance(10 * time.Second)
		if cp := e.must(t, e.request()); cp.URL != e.URL+"/session/2/index.m3u8" {
			t.Errorf("%d: then %s", tc.status, cp.URL)
		}
	}
}

// TestEdgeStuck has a session that answers with a playlist that no longer
// changes.
func TestEdgeStuck(t *testing.T) {
	e := newSessions(t)
	e.stands = true
	for second := range 62 {
		e.must(t, e.request())
		e.waitIdle(e.request())
		if want := 1 + second/31; e.sessions != want {
			t.Fatalf("%d sessions after %d seconds, want %d", e.sessions, second, want)
		}
		e.clock.advance(time.Second)
	}
}

// TestEdgeNeedsCookie has sessions that answer only requests that come
// through the redirect.
func TestEdgeNeedsCookie(t *testing.T) {
	number := 0
	r := newRig(t, func(w http.ResponseWriter, q *http.Request) {
		switch _, err := q.Cookie("led"); {
		case q.URL.Path == "/live/index.m3u8":
			http.SetCookie(w, &http.Cookie{Name: "led", Value: "1"})
			http.Redirect(w, q, "/session.m3u8", http.StatusFound)
		case err != nil:
			w.WriteHeader(http.StatusForbidden)
		default:
			number++
			io.WriteString(w, media(number))
		}
	})
	for n, want := range []int64{2, 5, 8, 10, 12} { // the second and third time, one to see that it does not work
		r.must(t, r.request())
		r.wantRequests(t, want, fmt.Sprintf("time %d", n+1))
		r.clock.advance(10 * time.Second)
	}
	r.clock.advance(time.Minute)
	r.must(t, r.request())
	r.wantRequests(t, 14, "a minute later")
	r.clock.advance(10 * time.Second)
	r.must(t, r.request())
	r.wantRequests(t, 17, "tried again")
}

// TestEdgeWithoutPlaylist has a session end with an HTML page.
func TestEdgeWithoutPlaylist(t *testing.T) {
	e := newSessions(t)
	e.must(t, e.request())
	sessions := *e.handler.Load()
	e.serve(respond("<html>your session has ended</html>"))
	e.clock.advance(10 * time.Second)
	if _, err := e.Get(t.Context(), e.request()); !errors.Is(err, playlist.ErrOrigin) {
		t.Fatal(err)
	}
	e.serve(sessions)
	e.clock.advance(10 * time.Second)
	if cp := e.must(t, e.request()); cp.URL != e.URL+"/session/2/index.m3u8" {
		t.Errorf("then %s", cp.URL)
	}
}

// TestHeadersStayAtTheirHost checks that the headers for the catalog's host
// are not sent to the host of a session.
func TestHeadersStayAtTheirHost(t *testing.T) {
	seen := make(chan http.Header, 2)
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		seen <- q.Header
		io.WriteString(w, media(1))
	}))
	defer far.Close()
	r := newRig(t, http.RedirectHandler(far.URL+"/s.m3u8", http.StatusFound).ServeHTTP)
	r.opts.Client = origin.New(origin.Options{Allow: []string{r.at, strings.TrimPrefix(far.URL, "http://")}})
	req := r.request()
	req.Referrer, req.UserAgent = "https://site.example/", "Player/1"
	for _, when := range []string{"redirected", "directly"} {
		r.must(t, req)
		r.clock.advance(10 * time.Second)
		h := <-seen
		if h.Get("Referer") != "" || h.Get("User-Agent") == "Player/1" || !Looped(h) {
			t.Errorf("%s: sent %v", when, h)
		}
	}
	r.wantRequests(t, 1, "the catalog's host")
}
