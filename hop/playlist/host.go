package playlist

import (
	"bytes"
	"slices"

	"miramundo.dev/hop/playlist/reference"
)

// This file checks the hosts of references, so that no playlist makes players
// ask addresses in their own networks. Most references of a playlist have the
// host of the base or of the reference before, which costs one comparison.

// networkSchemes are schemes whose URLs have a host that a player connects to.
// Others, such as skd and urn, name keys.
var networkSchemes = []string{
	"file", "ftp", "ftps", "http", "https", "mms", "mmsh", "mmst", "rtmp", "rtmpe", "rtmps", "rtmpt", "rtp", "rtsp", "rtsps", "sftp", "smb", "srt", "tcp", "udp", "ws", "wss",
}

// admit checks the host of the URL at (*text)[n:], and replaces it by the one
// that Options.Host returns.
func (r *rewriter) admit(text *[]byte, n int) error {
	url := (*text)[n:]
	if r.o.Host == nil || bytes.HasPrefix(url, r.root) || len(r.admitted) > 0 && bytes.HasPrefix(url, r.admitted) {
		return nil
	}
	colon := bytes.Index(url, []byte("://"))
	if colon < 0 || !slices.Contains(networkSchemes, string(bytes.ToLower(lastScheme(url[:colon])))) {
		return nil
	}
	web := reference.OnWeb(url)
	from := colon + len("://")
	to := len(url)
	if i := bytes.IndexAny(url[from:], `/\?#`); i >= 0 {
		to = from + i
	}
	from += bytes.LastIndexByte(url[from:to], '@') + 1
	host := string(url[from:to])
	written, err := r.o.Host(host)
	if err != nil {
		return ErrOrigin.Because(err)
	}
	if written != host {
		*text = slices.Replace(*text, n+from, n+to, []byte(written)...)
		to = from + len(written)
	}
	if web && to < len((*text)[n:]) {
		r.admitted = append(r.admitted[:0], (*text)[n:n+to+1]...)
	}
	return nil
}

// lastScheme returns the scheme that decides where a player connects to. Some
// players put schemes before another one, as in crypto+http: and in crypto:http:.
func lastScheme(schemes []byte) []byte {
	return schemes[bytes.LastIndexAny(schemes, "+:")+1:]
}

// copyList writes an attribute list, or a part of one, as it is. Players read tags
// in many ways: some look for a name anywhere in a line, or go by the beginning of
// the tag's name. So the hosts of references are checked also where no attribute
// of a reference is.
func (r *rewriter) copyList(b []byte) error {
	for _, name := range []string{`URI="`, `X-ASSET-LIST="`} {
		for rest := b; r.o.Host != nil; {
			_, after, ok := bytes.Cut(rest, []byte(name))
			if !ok {
				break
			}
			var ref []byte
			ref, rest, _ = bytes.Cut(after, []byte(`"`))
			r.url = r.base.Append(r.url[:0], ref)
			if err := r.admit(&r.url, 0); err != nil {
				return err
			}
		}
	}
	r.writeText(b)
	return nil
}
