package cloudlog

import (
	"bytes"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
)

// TestSetDefault has a server send bytes that nobody asked for, before and after
// its response. The log says so, and repeats none of them.
func TestSetDefault(t *testing.T) {
	before, out, flags := slog.Default(), log.Writer(), log.Flags()
	t.Cleanup(func() {
		slog.SetDefault(before)
		log.SetOutput(out)
		log.SetFlags(flags)
	})
	var written bytes.Buffer
	seen := make(chan struct{}, 1)
	SetDefault(slog.New(New(notify{&written, seen}, slog.LevelInfo, "")))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		if _, err := conn.Read(make([]byte, 4096)); err == nil {
			io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
			io.WriteString(conn, "HTTP/1.1 200 OK\r\nX-Secret: \"quo\\ted\r\n\r\n")
		}
	}()
	client := http.Client{Transport: &http.Transport{}}
	res, err := client.Get("http://" + l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, res.Body)
	res.Body.Close()
	<-seen
	got := written.String()
	if !strings.Contains(got, `"severity":"INFO"`) || !strings.Contains(got, "Unsolicited response") || strings.Contains(got, "Secret") || strings.Contains(got, "quo") {
		t.Errorf("logged %s", got)
	}
}

// notify is a writer that says when it was written to.
type notify struct {
	w    io.Writer
	seen chan struct{}
}

func (n notify) Write(p []byte) (int, error) {
	defer func() { n.seen <- struct{}{} }()
	return n.w.Write(p)
}

func TestWithoutQuotes(t *testing.T) {
	for text, want := range map[string]string{
		`plain`: `plain`, `a "b" c "d"`: `a "…" c "…"`, `a "b\"c" d`: `a "…" d`, `a "cut`: `a "…"`, `a "cut\`: `a "…"\`, ``: ``,
	} {
		if got := WithoutQuotes(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
