package origin

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// TestDefaultPatience has origins whose headers, or whose last byte, come after
// a time: a request may take 8 s, whatever it waits for.
func TestDefaultPatience(t *testing.T) {
	const head, body = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n", "x"
	for _, tc := range []struct {
		name               string
		header, body, want time.Duration
		err                error
	}{
		{"a late header", 7900 * time.Millisecond, 0, 7900 * time.Millisecond, nil},
		{"a late body", 0, 7900 * time.Millisecond, 7900 * time.Millisecond, nil},
		{"a header that is too late", time.Minute, 0, 8 * time.Second, ErrTimeout},
		{"a body that is too late", 4 * time.Second, time.Minute, 8 * time.Second, ErrTimeout},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := New(Options{})
				c.http.Transport.(*http.Transport).DialContext = func(context.Context, string, string) (net.Conn, error) {
					near, far := net.Pipe()
					go func() {
						defer far.Close()
						if _, err := http.ReadRequest(bufio.NewReader(far)); err != nil {
							return
						}
						time.Sleep(tc.header)
						_, _ = io.WriteString(far, head) // fails when the client has left
						time.Sleep(tc.body)
						_, _ = io.WriteString(far, body)
					}()
					return near, nil
				}
				began := time.Now()
				_, _, err := c.Fetch(t.Context(), Request{URL: "http://tv.example.com/live.m3u8"})
				if took := time.Since(began); took != tc.want || !errors.Is(err, tc.err) {
					t.Errorf("%v after %v, want %v after %v", err, took, tc.err, tc.want)
				}
				c.http.CloseIdleConnections()
				time.Sleep(time.Minute) // until the origin has ended
			})
		})
	}
}
