package origin

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
)

// echo is a server that responds with the first line of each request. It
// redirects /to to the address in the rest of its query.
func echo(t *testing.T) (address string) {
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
			line, _ := bufio.NewReader(conn).ReadString('\n')
			answer := "HTTP/1.0 200 OK\r\n\r\n" + strings.TrimSpace(line)
			if to, ok := strings.CutPrefix(line, "GET /to?"); ok {
				to, _, _ = strings.Cut(to, " HTTP/")
				answer = "HTTP/1.0 302 Found\r\nLocation: " + strings.NewReplacer("%20", " ", "%22", `"`, "HOST", l.Addr().String()).Replace(to) + "\r\n\r\n"
			}
			io.WriteString(conn, answer)
			conn.Close()
		}
	}()
	return l.Addr().String()
}

// TestAddressIsSentUnchanged checks that an address is requested byte for
// byte, except for characters that a request cannot have.
func TestAddressIsSentUnchanged(t *testing.T) {
	at := echo(t)
	c := New(Options{Allow: []string{at}})
	for path, want := range map[string]string{
		"":                  "/",
		"?x":                "/?x",
		"/a/../%2e/b;c=[d]": "/a/../%2e/b;c=[d]",
		"/a%2Fb|c":          "/a%2Fb%7Cc",
		"/a%2Fb^{c}`":       "/a%2Fb%5E%7Bc%7D%60",
		"/a%2fé b":          "/a%2f%C3%A9%20b",
		"/\xe9%2f":          "/%E9%2f",
		"/50%/100%.m3u8":    "/50%25/100%25.m3u8",
		"/a?t=%2F+~=/|^{}":  "/a?t=%2F+~=/|^{}",
		"/a?b c HTTP/1.1":   "/a?b%20c%20HTTP/1.1",
		"/a?é=\"<%zz>":      "/a?%C3%A9=%22%3C%zz%3E",
		"/a?b#100% c":       "/a?b",

		"/to?/a%2Fb|c%20d":            "/a%2Fb%7Cc%20d",
		"/to?http://HOST/a%2Fb|c?d|e": "/a%2Fb%7Cc?d|e",
		"/to?HTTP://HOST/x%20y":       "/x%20y",
		"/to?//HOST/a%2F%22":          "/a%2F%22",
		"/to?x|y?u=http://other/":     "/x%7Cy?u=http://other/",
	} {
		res, line, err := c.Fetch(t.Context(), Request{URL: "http://" + at + path})
		if err != nil {
			t.Errorf("%q: %v", path, err)
			continue
		}
		want = strings.ReplaceAll(want, "HOST", at)
		if string(line) != "GET "+want+" HTTP/1.1" {
			t.Errorf("%q: asked with %q, want %q", path, line, want)
		}
		told, _, _ := strings.Cut(res.URL, "#")
		if strings.TrimPrefix(told, "http://"+at) != want && path != "" && path[0] != '?' {
			t.Errorf("%q: said to come from %q", path, res.URL)
		}
	}
}

// TestWindow sends the beginning of a body that claims to need 16 MiB to be
// decompressed, and then nothing: no memory is allocated for it.
func TestWindow(t *testing.T) {
	head := []byte{0x4f, 0xff, 0xff, 0xff, 0x01} // a window of 16 MiB, and 16 MiB as they are
	res := &http.Response{
		Header: http.Header{"Content-Encoding": {"br"}},
		Body:   io.NopCloser(io.MultiReader(strings.NewReader(string(head)+strings.Repeat("x", 1000)), failingReader{io.ErrUnexpectedEOF})),
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := unpack(res, 512<<10)
	if err != nil {
		t.Fatal(err)
	}
	if data, err := io.ReadAll(r); err == nil {
		t.Errorf("read %q", data)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("took %d bytes", n)
	}
}
