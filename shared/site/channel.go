package site

import (
	"net/url"
	"strings"

	"miramundo.dev/shared/i18n"
)

// An Address is the channel that an address leads to, and the language that it names.
type Address struct {
	Channel   string // catalog id
	Locale    i18n.Locale
	Localized bool // the path names the locale; the address that is the same in every language does not
}

// ChannelOf returns the channel that a path of this site leads to: its page in any locale,
// its player for other sites, or its short address, which begins with short and is the
// same in every language. The path is escaped. It reports false for any other path.
func ChannelOf(path, short string) (a Address, ok bool) {
	for _, l := range i18n.Locales {
		for _, template := range []string{Channel.Template(l), EmbedTemplate(l)} {
			if id, ok := nameIn(path, strings.TrimSuffix(template, idParam)); ok {
				return Address{id, l, true}, true
			}
		}
	}
	id, ok := nameIn(path, short)
	return Address{Channel: id}, ok
}

// Scheme is the scheme of addresses that lead to a channel in the installed app, such as
// web+miramundo:Aurora.br. Browsers let apps handle only schemes that begin with web+.
const Scheme = "web+miramundo"

// ChannelAt returns the channel that an absolute address is about, as [ChannelOf] does for
// its path. The host must be that of the service's base URL; scheme, query and fragment do
// not matter.
func ChannelAt(base, short, address string) (Address, bool) {
	u, err := url.Parse(address)
	own, failed := url.Parse(base)
	if err != nil || failed != nil || u.Scheme != "https" && u.Scheme != "http" || !strings.EqualFold(u.Host, own.Host) {
		return Address{}, false
	}
	return ChannelOf(u.EscapedPath(), short)
}

// nameIn returns the one segment of a path that follows a prefix, unescaped.
func nameIn(path, prefix string) (string, bool) {
	rest, ok := strings.CutPrefix(path, prefix)
	if !ok || rest == "" || strings.Contains(rest, "/") {
		return "", false
	}
	name, err := url.PathUnescape(rest)
	return name, err == nil
}
