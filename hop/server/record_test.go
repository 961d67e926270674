package server

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"miramundo.dev/shared/catalog"
)

// TestLog checks that a request is one record, and that it tells neither who
// called nor what only the player should know.
func TestLog(t *testing.T) {
	w := start(t, setup{streams: []catalog.StreamRecord{{URL: "/master.m3u8"}, {URL: "http://nobody.example.com:1/secret?token=secret"}}, origin: family})
	w.get(path(1, "?name=secret"), "X-Guest-Token", "ipt_secret", "User-Agent", "secret", "Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	log := w.log.take()
	for _, want := range []string{
		`"message":"/api/s/{id}"`, `"requestMethod":"GET","requestUrl":"/api/s/{id}","status":200,"responseSize":"`,
		`"stream":"` + catalog.StreamID(1).String() + `"`, `"logging.googleapis.com/trace":"4bf92f3577b34da6a3ce929d0e0e4736"`,
	} {
		if !strings.Contains(log, want) {
			t.Errorf("the record has no %s: %s", want, log)
		}
	}
	w.get(path(2, ""))
	w.get("/secret")
	w.do("SECRET", path(1, "?p=secret"))
	log += w.log.take()
	if strings.Count(log, "\n") != 4 || strings.Contains(strings.ToLower(log), "secret") || strings.Contains(log, "192.0.2.7") || strings.Contains(log, "127.0.0.1") {
		t.Errorf("four records without secrets and addresses are %s", log)
	}
}

// TestLogOfOrigins checks that the log repeats neither kilobytes of what an
// origin sends, nor the addresses that it leads to.
func TestLogOfOrigins(t *testing.T) {
	raw := func(w http.ResponseWriter, answer string) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		defer conn.Close()
		io.WriteString(conn, answer)
	}
	long := strings.Repeat("A", 12<<10)
	answers := map[string]string{
		"/status": "HTTP/1.1 " + long + "\r\n\r\n",
		"/header": "HTTP/1.1 200 OK\r\nX" + long + " \x01: secret\r\n\r\n",
		"/quote":  "HTTP/1.1 200 OK\r\nX\"secret\x01\": secret\r\n\r\n",
		"/parse":  "HTTP/1.1 302 Found\r\nLocation: http://secret:secret@example.com/%zz?secret\r\n\r\n",
		"/user":   "HTTP/1.1 302 Found\r\nLocation: http://secret:secret@example.com/\r\n\r\n",
		"/lost":   "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/secret\r\n\r\n",
	}
	var streams []catalog.StreamRecord
	for path := range answers {
		streams = append(streams, catalog.StreamRecord{URL: path + "?secret"})
	}
	w := start(t, setup{streams: streams, origin: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { raw(w, answers[r.URL.Path]) })})
	for i, st := range streams {
		a := w.get(path(i+1, ""))
		if a.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d %s", st.URL, a.StatusCode, a.body)
		}
		log := w.log.take()
		if len(log) > 1024 || len(log) < 200 || strings.Contains(log, "secret") || !strings.Contains(log, `"cause":"playlist_origem: `) {
			t.Errorf("%s: the record has %d bytes: %.1000s", st.URL, len(log), log)
		}
	}
}

// TestDiscreet checks what is logged of a cause.
func TestDiscreet(t *testing.T) {
	for cause, want := range map[string]string{
		"no such host":                                 "no such host",
		`Get "http://o.example/?secret": EOF`:          `Get "…": EOF`,
		`bad "a\"secret\\" and "b"`:                    `bad "…" and "…"`,
		`bad "secret`:                                  `bad "…"`,
		strings.Repeat("x", maxCause-1) + "é and more": strings.Repeat("x", maxCause-1),
		"\xff" + strings.Repeat("y", maxCause+9):       strings.Repeat("y", maxCause-1),
	} {
		if got := discreet(errors.New(cause)).Error(); got != want {
			t.Errorf("discreet(%q) = %q, want %q", cause, got, want)
		}
	}
}
