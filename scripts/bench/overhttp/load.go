package overhttp

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"
)

// measure loads s for d, after a warm-up of a tenth of d.
func (s *server) measure(ctx context.Context, targets []string, d time.Duration) (result, error) {
	if err := s.load(ctx, targets, d/10, nil); err != nil { // warm up
		return result{}, err
	}
	before, err := s.cpu()
	if err != nil {
		return result{}, err
	}
	times := make([][]time.Duration, connections)
	start := time.Now()
	if err := s.load(ctx, targets, d, times); err != nil {
		return result{}, err
	}
	took := time.Since(start)
	after, err := s.cpu()
	if err != nil {
		return result{}, err
	}
	all := slices.Concat(times...)
	if len(all) == 0 {
		return result{}, fmt.Errorf("no request was answered in %v", d)
	}
	slices.Sort(all)
	return result{
		perSecond: float64(len(all)) / took.Seconds(),
		cpu:       (after - before) / time.Duration(len(all)),
		p50:       all[len(all)/2],
		p99:       all[len(all)*99/100],
	}, nil
}

// load keeps all connections busy for d. When times is not nil, it collects the
// time of each answer there, by connection.
func (s *server) load(ctx context.Context, targets []string, d time.Duration, times [][]time.Duration) error {
	wire := make([][]byte, len(targets))
	for i, target := range targets {
		wire[i] = s.request(target)
	}
	end := time.Now().Add(d)
	group, ctx := errgroup.WithContext(ctx)
	for c := range connections {
		group.Go(func() error {
			conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", s.addr)
			if err != nil {
				return err
			}
			defer conn.Close()
			r := bufio.NewReaderSize(conn, 64<<10)
			for i := c * len(wire) / connections; time.Now().Before(end) && ctx.Err() == nil; i++ {
				request := wire[i%len(wire)]
				if s.fresh {
					request = s.request(targets[i%len(targets)] + "&n=" + strconv.Itoa(int(s.asked.Add(1))))
				}
				start := time.Now()
				if err := exchange(conn, r, request); err != nil {
					return err
				}
				if times != nil {
					times[c] = append(times[c], time.Since(start))
				}
			}
			return nil
		})
	}
	return group.Wait()
}

func (s *server) request(target string) []byte {
	encoding := ""
	if s.encoding != "" {
		encoding = "Accept-Encoding: " + s.encoding + "\r\n"
	}
	return []byte("GET " + target + " HTTP/1.1\r\nHost: " + s.addr + "\r\n" + encoding + "\r\n")
}

// exchange sends a request and reads the whole answer. It parses only the part of
// HTTP that both servers use, so that the load costs less than what it measures.
func exchange(w io.Writer, r *bufio.Reader, request []byte) error {
	if _, err := w.Write(request); err != nil {
		return err
	}
	length, status := -1, true
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return err
		}
		line = bytes.TrimRight(line, "\r\n")
		switch {
		case status:
			if !bytes.HasPrefix(line, []byte("HTTP/1.1 200")) {
				return fmt.Errorf("answered %q", line)
			}
			status = false
		case len(line) == 0:
			return body(r, length)
		case bytes.HasPrefix(line, []byte("Content-Length: ")):
			if length, err = strconv.Atoi(string(line[len("Content-Length: "):])); err != nil {
				return err
			}
		}
	}
}

// body reads a body of the given length, or a chunked one when length is negative.
func body(r *bufio.Reader, length int) error {
	if length >= 0 {
		_, err := r.Discard(length)
		return err
	}
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return err
		}
		n, err := strconv.ParseInt(string(bytes.TrimRight(line, "\r\n")), 16, 32)
		if err != nil {
			return err
		}
		if _, err := r.Discard(int(n) + 2); err != nil || n == 0 {
			return err
		}
	}
}
