package playlist

import (
	"bytes"
	"slices"

	"miramundo.dev/hop/playlist/reference"
)

// This file checks the hosts of references, so that no playlist makes players
// ask addresses in their own networks. Most references of a playlist have the
// host of the base or of the reference before, which costs one comparison.

// networkSchemes are schemes beside http and https whose URLs have a host that
// a player connects to. Others, such as skd and urn, name keys.
var networkSchemes = []string{
	"file", "ftp", "ftps", "mms", "mmsh", "mmst", "rtmp", "rtmpe", "rtmps", "rtmpt", "rtp", "rtsp", "rtsps", "sftp", "smb", "srt", "tcp", "udp", "ws", "wss",
}

// admit checks the host of the URL at (*text)[n:], and replaces it by the one
// that Options.Host returns.
func (r *rewriter) admit(text *[]byte, n int) error {
	url := (*text)[n:]
	if r.o.Host == nil || bytes.HasPrefix(url, r.root) || len(r.admitted) > 0 && bytes.HasPrefix(url, r.admitted) {
		return nil
	}
	colon := bytes.IndexByte(url, ':')
	from := colon + len("://")
	if colon < 0 || !bytes.HasPrefix(url[colon:], []byte("://")) {
		return nil
	}
	web := reference.OnWeb(url)
	if !web && !slices.Contains(networkSchemes, string(bytes.ToLower(url[:colon]))) {
		return nil
	}
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
