package origin

import (
	"bytes"
	"context"
	"net"
)

// A dialler connects to an address.
type dialler func(ctx context.Context, network, address string) (net.Conn, error)

// shoutcast returns a dialler whose connections accept Shoutcast servers,
// which begin their responses with "ICY" instead of an HTTP version and
// otherwise speak HTTP.
func shoutcast(dial dialler) dialler {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &shoutcastConn{Conn: conn}, nil
	}
}

// A shoutcastConn replaces the protocol name of a Shoutcast response.
type shoutcastConn struct {
	net.Conn
	begun   bool
	pending []byte // already read, or its replacement
}

// Names of the protocols, up to the status.
var (
	icyName  = []byte("ICY ")
	httpName = []byte("HTTP/1.0 ")
)

// Read replaces the protocol name at the very beginning.
func (r *shoutcastConn) Read(p []byte) (int, error) {
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

// begin reads the first bytes, as long as they may be that name.
func (r *shoutcastConn) begin() error {
	for len(r.pending) < len(icyName) && bytes.HasPrefix(icyName, r.pending) {
		var b [4]byte
		n, err := r.Conn.Read(b[:len(icyName)-len(r.pending)])
		r.pending = append(r.pending, b[:n]...)
		if err != nil && len(r.pending) > 0 && n > 0 {
			break // the error comes again
		}
		if err != nil {
			return err
		}
	}
	r.begun = true
	if bytes.Equal(r.pending, icyName) {
		r.pending = httpName
	}
	return nil
}
