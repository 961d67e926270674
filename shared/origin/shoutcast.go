package origin

import (
	"bytes"
	"context"
	"net"
)

// dialler connects to an address.
type dialler func(ctx context.Context, network, address string) (net.Conn, error)

// shoutcast returns a dialler whose connections are read as of a server of
// HTTP when they begin as Shoutcast servers do: with the name of their own
// protocol, which has otherwise the same form.
func shoutcast(dial dialler) dialler {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &radio{Conn: conn}, nil
	}
}

// A radio is a connection whose first words may be those of Shoutcast.
type radio struct {
	net.Conn
	begun   bool
	pending []byte // read already, or put in place of what was
}

// Names of the protocols, up to the status.
var (
	icy = []byte("ICY ")
	web = []byte("HTTP/1.0 ")
)

// Read puts the name of HTTP in place of the other at the very beginning.
func (r *radio) Read(p []byte) (int, error) {
	if !r.begun {
		if err := r.begin(); err != nil {
			return 0, err
		}
	}
	if len(r.pending) > 0 {
		n := copy(p, r.pending)
		r.pending = r.pending[n:]
		return n, nil
	}
	return r.Conn.Read(p)
}

// begin reads the first bytes, as far as they may be that name.
func (r *radio) begin() error {
	for len(r.pending) < len(icy) && bytes.HasPrefix(icy, r.pending) {
		var b [4]byte
		n, err := r.Conn.Read(b[:len(icy)-len(r.pending)])
		r.pending = append(r.pending, b[:n]...)
		if err != nil && len(r.pending) > 0 && n > 0 {
			break // the error comes again
		}
		if err != nil {
			return err
		}
	}
	r.begun = true
	if bytes.Equal(r.pending, icy) {
		r.pending = web
	}
	return nil
}
