package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"miramundo.dev/scripts/players/container"
	"miramundo.dev/scripts/players/journal"
	"miramundo.dev/scripts/players/liveorigin"
	"miramundo.dev/scripts/players/player"
)

// A stage has the servers that players use: an origin, and the hop in front of it.
type stage struct {
	origin *liveorigin.Origin
	hop    *front // nil to play the origin itself
}

// A front is the hop behind a gateway that keeps a journal, just as it is deployed
// behind a load balancer.
type front struct {
	journal journal.Journal
	url     string
	hop     *container.Server
	server  *http.Server
}

// elsewhere is the address in the catalog of streams to which the hop redirects
// players. It is not on this machine, because the hop does not redirect there.
const elsewhere = "https://media.example.org"

// openHop runs the hop on a catalog of the origin's streams. It builds the hop unless
// a program is given.
func openHop(ctx context.Context, program, dir string, origin *liveorigin.Origin) (*front, error) {
	var urls, kinds []string
	for _, f := range liveorigin.Forms {
		address := origin.URL(f)
		if f.Secure {
			address = elsewhere + f.Path
		}
		urls, kinds = append(urls, address), append(kinds, f.Kind)
	}
	if err := container.Publish(ctx, dir, container.Channels(urls, kinds)); err != nil {
		return nil, err
	}
	if program == "" {
		var err error
		if program, err = container.Build(ctx, dir, container.Hop); err != nil {
			return nil, err
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	f := &front{url: fmt.Sprintf("http://localhost:%d", l.Addr().(*net.TCPAddr).Port)}
	f.hop, err = container.Start(ctx, container.Options{Program: program, Data: dir, HopURL: f.url, Allow: origin.Addrs(), Log: io.Discard})
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	target, err := url.Parse(f.hop.URL)
	if err != nil {
		return nil, err
	}
	gateway := &httputil.ReverseProxy{
		Rewrite:      func(r *httputil.ProxyRequest) { r.SetURL(target) },
		ErrorHandler: explain,
	}
	f.server = &http.Server{Handler: f.journal.Wrap(gateway), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = f.server.Serve(l) }() // ends with close
	return f, nil
}

// statusGone is the status in the journal for a player that did not wait for the
// answer.
const statusGone = 499

// explain answers the player when the hop gave no answer.
func explain(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		w.WriteHeader(statusGone)
		return
	}
	http.Error(w, err.Error(), http.StatusBadGateway)
}

func (f *front) close() {
	_ = f.server.Close() // nothing is lost
	if err := f.hop.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, "players:", err)
	}
}

// stream returns the stream that a player is given for a form. A form that is not a
// playlist is played directly, because the hop only redirects to it; checkRedirect
// checks that redirect.
func (st *stage) stream(f liveorigin.Form) (player.Stream, bool) {
	s := player.Stream{
		Name: f.Name, URL: st.origin.URL(f), LowLatency: f.LowLatency,
		SoundOnly: f.SoundOnly(), NoPlaylist: f.Redirected(),
	}
	if st.hop == nil {
		return s, true
	}
	s.URL = st.address(f)
	return s, !f.Redirected()
}

// address returns the address of a form on the hop.
func (st *stage) address(f liveorigin.Form) string {
	return st.hop.url + container.Path(container.StreamID(slices.Index(liveorigin.Forms, f)))
}

// checkRedirect checks the hop's answer for a stream that is not a playlist: a
// redirect to the provider over https, and to the page for old players over plain
// http.
func (st *stage) checkRedirect(ctx context.Context, f liveorigin.Form) cell {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, st.address(f), http.NoBody)
	if err != nil {
		return cell{err: err}
	}
	res, err := http.DefaultTransport.RoundTrip(req) // which does not follow redirects
	if err != nil {
		return cell{err: err}
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	to := res.Header.Get("Location")
	switch {
	case err != nil:
		return cell{err: err}
	case f.Secure && res.StatusCode == http.StatusFound && to == elsewhere+f.Path && res.Header.Get("Cache-Control") == "no-store":
		return cell{note: "302"}
	case !f.Secure && res.StatusCode == http.StatusUnprocessableEntity && to == "" && strings.Contains(string(body), `"legacy_url":"http`):
		return cell{note: "422 with legacy_url"}
	}
	return cell{err: fmt.Errorf("%s to %q: %s", res.Status, to, body)}
}

// check returns an error when the journals show a request that should not be there,
// or lack one that should.
func (st *stage) check(name string, f liveorigin.Form, since time.Time, seen player.Seen) error {
	mine := func(e journal.Entry) bool {
		return !e.At.Before(since) && strings.HasPrefix(strings.ToLower(e.UserAgent), name)
	}
	media := st.origin.Journal.Select(func(e journal.Entry) bool { return mine(e) && !isPlaylist(e) && e.Status < 300 })
	if len(media) == 0 {
		return fmt.Errorf("fetched no media from the origin: %s", show(st.origin.Journal.Select(func(e journal.Entry) bool { return !e.At.Before(since) })))
	}
	if st.hop == nil {
		return nil
	}
	past := st.origin.Journal.Select(func(e journal.Entry) bool { return mine(e) && isPlaylist(e) })
	if len(past) > 0 {
		return fmt.Errorf("fetched a playlist past the hop: %s", show(past))
	}
	answers := st.hop.journal.Select(mine)
	if err := checkAnswers(answers); err != nil || name != "hls.js" {
		return err
	}
	return checkPage(f, answers, media, seen)
}

func isPlaylist(e journal.Entry) bool {
	return strings.HasSuffix(e.Path, ".m3u8") || strings.Contains(e.Type, "mpegurl")
}

func show(entries []journal.Entry) string {
	var b strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&b, "%d %s %.120s?%.60s (%s); ", e.Status, e.Method, e.Path, e.Query, e.UserAgent)
	}
	return b.String()
}

// checkAnswers returns an error unless all answers of the hop to one player are
// playlists.
func checkAnswers(answers []journal.Entry) error {
	if len(answers) == 0 {
		return errors.New("asked the hop for nothing")
	}
	wrong := slices.DeleteFunc(slices.Clone(answers), func(e journal.Entry) bool {
		return e.Status == statusGone || e.Status == http.StatusOK && e.Type == "application/vnd.apple.mpegurl"
	})
	if len(wrong) > 0 {
		return fmt.Errorf("the hop answered otherwise than expected: %s", show(wrong))
	}
	return nil
}

// checkPage returns an error when the figures of hls.js are not as they should be.
func checkPage(f liveorigin.Form, answers, media []journal.Entry, seen player.Seen) error {
	var problems []error
	no := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	if seen.Exposed != exposed {
		no("the page could read %d of the %d X-Service headers", seen.Exposed, exposed)
	}
	if len(seen.Errors) > 0 {
		no("hls.js got over errors: %q", seen.Errors)
	}
	if !f.LowLatency {
		return errors.Join(problems...)
	}
	blocking := 0
	for _, e := range answers {
		if strings.Contains(e.Query, "_HLS_msn=") && strings.Contains(e.Query, "_HLS_part=") {
			blocking++
		}
	}
	if blocking < 3 {
		no("only %d requests waited for a part: %s", blocking, show(answers))
	}
	if seen.Parts < 4 {
		no("only %d parts were loaded", seen.Parts)
	}
	if !slices.ContainsFunc(media, func(e journal.Entry) bool { return strings.Contains(e.Path, "/part") }) {
		no("no part came from the origin")
	}
	if seen.Deltas == 0 {
		no("no playlist skipped the older segments")
	}
	return errors.Join(append(problems, checkSwitch(answers, seen))...)
}

// exposed is the number of headers that the hop exposes to pages.
const exposed = 5

// checkSwitch returns an error unless hls.js, when it switched to the other quality,
// used the rendition report to choose the first request there. It finds the report
// by its address, so this shows that the hop writes the same address everywhere.
func checkSwitch(answers []journal.Entry, seen player.Seen) error {
	at := time.UnixMilli(seen.SwitchedAt)
	known := map[string]bool{"": true}
	for _, e := range answers {
		q, _ := url.ParseQuery(e.Query)
		p := q.Get("p")
		if e.At.Before(at) || p == "" || known[p] {
			known[p] = true
			continue
		}
		if !q.Has("_HLS_msn") {
			return fmt.Errorf("the first request for the other quality did not use the rendition report: %.80s", e.Query)
		}
		return nil
	}
	return errors.New("the other quality was not asked for")
}
