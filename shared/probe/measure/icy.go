package measure

import "io"

// stripICY returns r, the body of a SHOUTcast or Icecast response, without the
// blocks of metadata that follow every interval bytes, which is the response's
// header icy-metaint. It returns r itself when interval is not positive.
func stripICY(r io.Reader, interval int) io.Reader {
	if interval <= 0 {
		return r
	}
	return &icyReader{r: r, interval: interval, left: interval}
}

// An icyReader reads media without metadata.
type icyReader struct {
	r        io.Reader
	interval int
	left     int // bytes of media before the next block
}

func (s *icyReader) Read(p []byte) (int, error) {
	if s.left == 0 {
		if err := s.skip(); err != nil {
			return 0, err
		}
		s.left = s.interval
	}
	n, err := s.r.Read(p[:min(len(p), s.left)])
	s.left -= n
	return n, err
}

// skip reads a block: a byte with its length in units of 16 bytes, and that many
// bytes. A stream that ends within a block has ended.
func (s *icyReader) skip() error {
	var length [1]byte
	if _, err := io.ReadFull(s.r, length[:]); err != nil {
		return err
	}
	_, err := io.CopyN(io.Discard, s.r, int64(length[0])*16)
	return err
}
