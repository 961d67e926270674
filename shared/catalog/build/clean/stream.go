package clean

import (
	"net/url"
	"slices"
	"strings"
)

// The address of one stream is written in many ways: with http or https, with
// the suffixes that Shoutcast servers accept for their only stream ("/;",
// "/;stream.mp3", "/stream"), and with queries by which players are counted.
// StreamKey reduces them to one. It is only a hint: an address with another
// query may be another stream, so parameters that are not known to be of no
// consequence are kept, and callers compare names as well.

// idleParams are parameters that do not change what plays: who listens, from
// where, until when, and in which player. A "*" stands for any ending.
var idleParams = []string{
	"_", "__cb", "_ic2", "aggregator", "ais*", "amsparams", "args", "aw_0*", "awcollectionid", "awepisodeid", "awparams", "cb", "cid",
	"companionads", "csegid", "dist", "e", "expires", "gdpr*", "hash", "icy", "key-pair-id", "listen", "listenerid",
	"listening-from*", "maxservers", "md5", "nocache", "origin", "origine", "partok", "pl", "player*", "policy", "ref", "referer", "rj-tok",
	"rj-ttl", "rnd", "sabc", "sid_token", "signature", "source", "t", "t302", "tgt", "time", "timestamp", "token", "ttl", "tvr", "type", "ua",
	"us_privacy", "utm_*", "uuid", "ver", "zs", "zt",
}

// StreamKey returns a key that the addresses of one stream share: its host, a
// line break, and the rest. An address that does not parse is its own key.
func StreamKey(raw string) string {
	u, ok := ParseURL(raw)
	if !ok {
		return raw
	}
	host, path := strings.ToLower(u.Hostname()), u.EscapedPath()
	port := u.Port()
	if port == "80" || port == "443" {
		port = ""
	}
	path, _, _ = strings.Cut(path, ";")
	path = strings.Trim(path, "/")
	if port != "" && (path == "stream" || path == "stream/1") {
		path = "" // the default stream of a Shoutcast server
	}
	return host + "\n" + port + "/" + path + significant(u.RawQuery)
}

// significant returns the parameters of a query that may choose the stream, in
// their order.
func significant(query string) string {
	if query == "" {
		return ""
	}
	var kept strings.Builder
	for param := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(param, "=")
		if idle(strings.ToLower(name), value) {
			continue
		}
		if text, err := url.QueryUnescape(param); err == nil {
			param = strings.TrimRight(text, "/;")
		}
		kept.WriteString("&" + param)
	}
	return kept.String()
}

// idle reports whether a parameter does not change what plays. A number alone,
// such as the time, is there to defeat a cache.
func idle(name, value string) bool {
	if value == "" && strings.Trim(name, "0123456789;/.") == "" {
		return true
	}
	return slices.ContainsFunc(idleParams, func(p string) bool {
		if prefix, ok := strings.CutSuffix(p, "*"); ok {
			return strings.HasPrefix(name, prefix)
		}
		return name == p
	})
}
