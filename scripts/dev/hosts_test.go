package main

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// TestHosts checks which values of the Host header a part of the stack answers
// that listens on port 8787.
func TestHosts(t *testing.T) {
	loopback := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8787}
	lan := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 7), Port: 8787}
	for _, test := range []struct {
		host      string
		given     string // as -gateway has it
		connected net.Addr
		want      bool
	}{
		{"127.0.0.1:8787", "", loopback, true},
		{"localhost:8787", "", loopback, true},
		{"LocalHost:8787", "", loopback, true},
		{"localhost.:8787", "", loopback, true},
		{"[::1]:8787", "", loopback, true},
		{"[0:0:0:0:0:0:0:1]:8787", "", loopback, true},
		{"[::ffff:127.0.0.1]:8787", "", loopback, true},
		{"box.lan:8787", "box.lan:8787", loopback, true},
		{"BOX.lan.:8787", "Box.LAN:8787", loopback, true},
		{"192.0.2.7:8787", "192.0.2.7:8787", nil, true},
		{"192.0.2.7:8787", "0.0.0.0:8787", lan, true}, // the address that the caller connected to
		{"[2001:db8::1]:8787", "[2001:DB8:0::1]:8787", &net.TCPAddr{IP: net.ParseIP("2001:db8::1")}, true},

		{"", "", loopback, false},
		{":8787", "", loopback, false},
		{"rebound.example:8787", "", loopback, false},
		{"rebound.example", "", loopback, false},
		{"localhost.rebound.example:8787", "", loopback, false},
		{"127.0.0.1.rebound.example:8787", "", loopback, false},
		{"127.0.0.1", "", loopback, false}, // port 80
		{"localhost", "", loopback, false},
		{"localhost:", "", loopback, false},
		{"127.0.0.1:8788", "", loopback, false},
		{"localhost:08787", "", loopback, false},
		{"127.0.0.1:8787:8787", "", loopback, false},
		{"user@127.0.0.1:8787", "", loopback, false},
		{"127.0.0.1:8787@rebound.example:8787", "", loopback, false},
		{"127.0.0.1:8787,rebound.example", "", loopback, false},
		{"localhost..:8787", "", loopback, false},
		{"127.1:8787", "", loopback, false},
		{"2130706433:8787", "", loopback, false},
		{"0x7f000001:8787", "", loopback, false},
		{"127.0.0.2:8787", "", loopback, false},
		{"0.0.0.0:8787", "", loopback, false},
		{"192.0.2.7:8787", "", loopback, false},
		{"::1:8787", "", loopback, false},
		{"::1", "", loopback, false},
		{"[::1%25lo]:8787", "", loopback, false},
		{"[::1]", "", loopback, false},
		{"[::2]:8787", "", loopback, false},
		{"[rebound.example]:8787", "", loopback, false},
	} {
		if got := ownHosts(test.given, loopback).has(test.host, test.connected); got != test.want {
			t.Errorf("a stack at %q answers a request for %q: %t, want %t", test.given, test.host, got, test.want)
		}
	}
}

// TestHostsOnPort80 checks that a Host without a port means port 80.
func TestHostsOnPort80(t *testing.T) {
	h := ownHosts("", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80})
	for host, want := range map[string]bool{
		"localhost": true, "127.0.0.1": true, "[::1]": true, "localhost:80": true, "localhost:8080": false, "rebound.example": false,
	} {
		if got := h.has(host, nil); got != want {
			t.Errorf("%q is answered: %t, want %t", host, got, want)
		}
	}
}

// TestGuard checks what a caller gets whose Host is another's, over a connection:
// a hostile page may name the host in the request line too.
func TestGuard(t *testing.T) {
	ok := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "answered") })
	server := httptest.NewUnstartedServer(nil)
	server.Config.Handler = ownHosts("", server.Listener.Addr()).guard(ok)
	server.Start()
	defer server.Close()
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		request string
		want    string // the status
	}{
		{"GET / HTTP/1.1\r\nHost: " + u.Host, "200"},
		{"GET / HTTP/1.1\r\nHost: rebound.example:" + u.Port(), "421"},
		{"GET http://rebound.example/ HTTP/1.1\r\nHost: " + u.Host, "421"},
		{"GET / HTTP/1.0\r\nX: y", "421"},
		{"GET / HTTP/1.1\r\nHost: user@" + u.Host, "400"}, // by net/http itself
		{"GET / HTTP/1.1\r\nHost: " + u.Host + "\r\nHost: rebound.example", "400"},
		{"GET / HTTP/1.1\r\nX: y", "400"},
	} {
		conn, err := net.Dial("tcp", u.Host)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(conn, test.request+"\r\nConnection: close\r\n\r\n")
		answer, err := io.ReadAll(conn)
		conn.Close()
		if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.") || !strings.HasPrefix(string(answer)[9:], test.want) {
			t.Errorf("%q: %v %.200q, want %s", test.request, err, answer, test.want)
		}
		if got := strings.Contains(string(answer), "answered"); got != (test.want == "200") {
			t.Errorf("%q got the answer %.200q", test.request, answer)
		}
	}
}
