package origin

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// serverAndClient returns a server for h, and a client that may request it.
func serverAndClient(t *testing.T, h http.HandlerFunc) (*httptest.Server, *Client) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s, New(Options{Allow: []string{s.Listener.Addr().String()}})
}

// TestCookieCheck has an origin that sets a cookie and redirects the request
// to the same address to see it. The cookie ends with the request.
func TestCookieCheck(t *testing.T) {
	var checks int
	s, c := serverAndClient(t, func(w http.ResponseWriter, r *http.Request) {
		if cookie, err := r.Cookie("seen"); err == nil && cookie.Value == "yes" {
			io.WriteString(w, playlist)
			return
		}
		checks++
		http.SetCookie(w, &http.Cookie{Name: "seen", Value: "yes"})
		http.Redirect(w, r, r.URL.Path, http.StatusFound)
	})
	for n := 1; n <= 2; n++ {
		res, data, err := c.Fetch(t.Context(), Request{URL: s.URL + "/a"})
		if err != nil || string(data) != playlist || res.URL != s.URL+"/a" {
			t.Fatalf("%v, %q, %v", res, data, err)
		}
		if checks != n {
			t.Errorf("request %d: the cookie was asked for %d times", n, checks)
		}
	}
}

// TestCookieLoop has an origin that redirects forever.
func TestCookieLoop(t *testing.T) {
	s, c := serverAndClient(t, func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "again", Value: "x"})
		http.Redirect(w, r, r.URL.Path, http.StatusFound)
	})
	if _, _, err := c.Fetch(t.Context(), Request{URL: s.URL}); !errors.Is(err, ErrRedirects) {
		t.Errorf("%v, want ErrRedirects", err)
	}
}

// TestCookiesStayAtTheirHost checks that cookies are sent only to the host
// that set them.
func TestCookiesStayAtTheirHost(t *testing.T) {
	seen := make(chan string, 1)
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen <- r.Header.Get("Cookie") }))
	defer other.Close()
	first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "secret", Domain: "127.0.0.1"})
		http.Redirect(w, r, other.URL, http.StatusFound)
	}))
	defer first.Close()
	c := New(Options{Allow: []string{other.Listener.Addr().String(), first.Listener.Addr().String()}})
	if _, _, err := c.Fetch(t.Context(), Request{URL: first.URL}); err != nil {
		t.Fatal(err)
	}
	if got := <-seen; got != "" {
		t.Errorf("another host was sent %q", got)
	}
}

func TestChain(t *testing.T) {
	at := func(raw string) *url.URL {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	secure := at("https://a.example/x")
	c := &jar{}
	c.SetCookies(secure, []*http.Cookie{{Name: "a", Value: "1"}, {Name: "b", Value: "2"}})
	c.SetCookies(secure, []*http.Cookie{{Name: "a", Value: "3"}, {Name: "b", MaxAge: -1}, {Name: "none", MaxAge: -1}})
	for raw, want := range map[string]string{
		"https://a.example/y": "[a=3]", "https://A.example/": "[a=3]",
		"http://a.example/y": "[]", "https://b.a.example/": "[]", "https://a.example:8443/": "[]",
	} {
		if diff := cmp.Diff(want, fmt.Sprint(c.Cookies(at(raw)))); diff != "" {
			t.Errorf("%s (-want +got)\n%s", raw, diff)
		}
	}
	for n := range 100 {
		c.SetCookies(secure, []*http.Cookie{{Name: fmt.Sprint("n", n), Value: "x"}})
	}
	if n := len(c.Cookies(secure)); n != maxCookies {
		t.Errorf("%d cookies are kept, want %d", n, maxCookies)
	}
}

// TestVia checks that Via is sent to every host of a chain of redirects.
func TestVia(t *testing.T) {
	seen := make(chan http.Header, 2)
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen <- r.Header }))
	defer other.Close()
	first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen <- r.Header
		http.Redirect(w, r, other.URL, http.StatusFound)
	}))
	defer first.Close()
	c := New(Options{Allow: []string{other.Listener.Addr().String(), first.Listener.Addr().String()}})
	if _, _, err := c.Fetch(t.Context(), Request{URL: first.URL, Header: http.Header{"Via": {"1.1 us"}}}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got := (<-seen).Get("Via"); got != "1.1 us" {
			t.Errorf("Via %q", got)
		}
	}
}

// TestUnreachable distinguishes an origin that is not there from one that
// answers wrongly.
func TestUnreachable(t *testing.T) {
	nobody, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := nobody.Addr().String()
	nobody.Close()
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	hangUp := hanging(t)
	clear, _ := serverAndClient(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "http://"+address, http.StatusFound) })
	c := New(Options{Resolver: testZone().resolver(), Allow: []string{
		address, secure.Listener.Addr().String(), hangUp, clear.Listener.Addr().String(), "nowhere.example.com:80",
	}})
	for _, tc := range []struct {
		name, url string
		want      error
	}{
		{"refused", "http://" + address, ErrUnreachable},
		{"redirected to nobody", clear.URL, ErrUnreachable},
		{"no such name", "http://nowhere.example.com/", ErrUnreachable},
		{"unknown certificate", secure.URL, ErrUnreachable},
		{"TLS to a server without", "https://" + clear.Listener.Addr().String(), ErrUnreachable},
		{"hangs up", "http://" + hangUp, ErrOrigin},
		{"TLS, hangs up", "https://" + hangUp, ErrUnreachable},
	} {
		if _, _, err := c.Fetch(t.Context(), Request{URL: tc.url}); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", tc.name, err, tc.want)
		}
	}
}

// hanging returns the address of a server that closes every connection.
func hanging(t *testing.T) string {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conn.Close()
		}
	}()
	return l.Addr().String()
}

// TestWait gives one request longer for its response headers than the
// client's default, and counts the time of each response from its request.
func TestWait(t *testing.T) {
	s := newHostileServer(t)
	c := New(Options{Allow: []string{s.Listener.Addr().String()}, Header: 20 * time.Millisecond, Timeout: 10 * time.Second})
	if _, err := c.Open(t.Context(), Request{URL: s.URL + "/hang"}); !errors.Is(err, ErrTimeout) {
		t.Errorf("with the client's time: %v, want ErrTimeout", err)
	}
	slow, entered := make(chan struct{}), make(chan struct{})
	patient, _ := serverAndClient(t, func(w http.ResponseWriter, r *http.Request) {
		close(entered)
		<-slow
		io.WriteString(w, playlist)
	})
	c = New(Options{Allow: []string{patient.Listener.Addr().String()}, Header: time.Nanosecond})
	done := make(chan error)
	go func() {
		_, _, err := c.Fetch(t.Context(), Request{URL: patient.URL, Wait: 10 * time.Second})
		done <- err
	}()
	<-entered
	close(slow)
	if err := <-done; err != nil {
		t.Errorf("with its own time: %v", err)
	}
}

// TestLateRequestTrace checks that the header timer does not end a body when
// the trace reports the sent request late.
func TestLateRequestTrace(t *testing.T) {
	f := &flight{within: t.Context(), cancel: func() { t.Error("the request was ended") }, wait: time.Hour}
	f.traceContext()
	f.stopHeaderTimer()
	f.startHeaderTimer()
	if f.timer.Stop() {
		t.Error("the time runs after the answer")
	}
}
