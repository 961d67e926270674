package origin

import (
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"
)

// rawServer starts a server that answers each request with a text, and hangs up.
func rawServer(t *testing.T, text string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
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
			go func() {
				defer conn.Close()
				if _, err := conn.Read(make([]byte, 4096)); err == nil {
					io.WriteString(conn, text)
				}
			}()
		}
	}()
	return l.Addr().String()
}

// TestErrorsRepeatNothing has servers that answer with what is not HTTP, or not
// what they say it is. No error repeats a byte of it.
func TestErrorsRepeatNothing(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	for name, tc := range map[string]struct {
		text string
		want error
	}{
		"not HTTP":              {"MARKER MARKER\r\n\r\n", ErrOrigin},
		"a status":              {"HTTP/1.1 MARKER MARKER\r\n\r\n", ErrOrigin},
		"a version":             {"HTTP/MARKER 200 OK\r\n\r\n", ErrOrigin},
		"a line without colon":  {ok + "MARKER\r\n\r\n", ErrOrigin},
		"a control character":   {ok + "MARKER\x01: MARKER\r\n\r\n", ErrOrigin},
		"a value":               {ok + "X: MARKER\x00\r\n\r\n", ErrOrigin},
		"a first line indented": {ok + " MARKER\r\n\r\n", ErrOrigin},
		"a length":              {ok + "Content-Length: MARKER\r\n\r\n", ErrOrigin},
		"two lengths":           {ok + "Content-Length: 1\r\nContent-Length: 7654321\r\n\r\n", ErrOrigin},
		"a transfer encoding":   {ok + "Transfer-Encoding: MARKER\r\n\r\n", ErrOrigin},
		"an encoding":           {ok + "Content-Encoding: MARKER\r\n\r\nx", ErrOrigin},
		"a chunk":               {ok + "Transfer-Encoding: chunked\r\n\r\nMARKER\r\n", ErrOrigin},
		"a trailer":             {ok + "Transfer-Encoding: chunked\r\n\r\n0\r\nMARKER\r\n\r\n", ErrOrigin},
		"not gzip":              {ok + "Content-Encoding: gzip\r\n\r\nMARKER MARKER", ErrOrigin},
		"not brotli":            {ok + "Content-Encoding: br\r\n\r\nMARKER MARKER", ErrOrigin},
		"a body that is cut":    {ok + "Content-Length: 7654321\r\n\r\nMARKER", ErrLimit},
		"a location":            {"HTTP/1.1 302 MARKER\r\nLocation: http://MARKER:MARKER%zz@MARKER/\r\n\r\n", ErrOrigin},
		"a location's scheme":   {"HTTP/1.1 302 MARKER\r\nLocation: MARKER:MARKER\r\n\r\n", ErrRefused},
		"a location's address":  {"HTTP/1.1 302 MARKER\r\nLocation: http://10.76.54.32/\r\n\r\n", ErrRefused},
		"a location's host":     {"HTTP/1.1 302 MARKER\r\nLocation: http://MARKER/\r\n\r\n", ErrRefused},
		"a status of failure":   {"HTTP/1.1 500 MARKER\r\nContent-Length: 0\r\n\r\n", ErrOrigin},
	} {
		t.Run(name, func(t *testing.T) {
			at := rawServer(t, tc.text)
			_, _, err := New(Options{Allow: []string{at}}).Fetch(t.Context(), Request{URL: "http://" + at + "/"})
			if err == nil || strings.Contains(strings.ToUpper(err.Error()), "MARKER") || strings.Contains(err.Error(), "10.76") || strings.Contains(err.Error(), "7654321") && !errors.Is(tc.want, ErrLimit) {
				t.Errorf("the error is %v", err)
			}
			if !errors.Is(err, tc.want) {
				t.Errorf("%v, want %v", err, tc.want)
			}
		})
	}
}

// TestReasons checks that a failed connection says why, and that the cause can
// be examined.
func TestReasons(t *testing.T) {
	plainHTTP := rawServer(t, "MARKER")
	tlsServer := httptest.NewUnstartedServer(nil)
	tlsServer.Config.ErrorLog = log.New(io.Discard, "", 0)
	tlsServer.StartTLS()
	t.Cleanup(tlsServer.Close)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := l.Addr().String()
	l.Close()
	for name, tc := range map[string]struct {
		url, want string
		is        func(error) bool
	}{
		"nobody":      {"http://" + nobody, "the connection failed: connection refused", func(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }},
		"no TLS":      {"https://" + plainHTTP, "no agreement on TLS", func(err error) bool { return errors.As(err, new(tls.RecordHeaderError)) }},
		"certificate": {"https://" + tlsServer.Listener.Addr().String(), "the certificate is of an unknown authority", func(err error) bool { return errors.As(err, new(*tls.CertificateVerificationError)) }},
	} {
		_, _, err := New(Options{Allow: []string{nobody, plainHTTP, tlsServer.Listener.Addr().String()}, Timeout: 5 * time.Second}).Fetch(t.Context(), Request{URL: tc.url})
		if !errors.Is(err, ErrUnreachable) || !strings.HasSuffix(err.Error(), tc.want) || !tc.is(err) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
}
