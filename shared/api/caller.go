package api

import (
	"context"
	"net/netip"
	"strconv"
	"strings"

	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/identity"
)

// A Request is what a handler may ask about the request that it answers, beside
// its inputs. A handler finds it in its context, through the functions below.
// Values are computed when they are asked for, since most handlers need none.
type Request interface {
	ID() string                        // under which the log records the request
	Credentials() identity.Credentials // as sent, not verified
	Browser() identity.Browser         // as sent, not verified
	Addr() netip.Addr                  // of the caller; zero when it is not known
	Country() string                   // of the caller, ISO 3166-1 alpha-2; empty when it is not known
	UserAgent() string                 // as sent
	Locale() i18n.Locale               // in which the caller reads
	AcceptLanguage() string            // as sent
	Accept() string                    // as sent

	// CheckToken returns nil when token is the operator's token of a name, else a
	// fault; see [Gate.CheckToken].
	CheckToken(name, token string) error
}

// RequestKey is the context key of the [Request].
var RequestKey = requestKey{}

type requestKey struct{}

// CredentialsOf returns the credentials that the request shows, not verified; none
// outside of a request. Only the endpoints that begin and end sessions need them.
func CredentialsOf(ctx context.Context) identity.Credentials {
	if r, ok := requestOf(ctx); ok {
		return r.Credentials()
	}
	return identity.Credentials{}
}

// BrowserOf returns what the request shows of the page that sent it, not verified.
func BrowserOf(ctx context.Context) identity.Browser {
	if r, ok := requestOf(ctx); ok {
		return r.Browser()
	}
	return identity.Browser{}
}

func requestOf(ctx context.Context) (Request, bool) {
	r, ok := ctx.Value(RequestKey).(Request)
	return r, ok
}

// LocaleOf returns the locale of the caller: that of the parameter lang when
// the endpoint has one and the caller names a locale in it, else that of
// Accept-Language, else the default. The answer of a handler that calls LocaleOf
// varies by Accept-Language.
func LocaleOf(ctx context.Context) i18n.Locale {
	if r, ok := requestOf(ctx); ok {
		return r.Locale()
	}
	return i18n.PT
}

// AcceptLanguageOf returns the Accept-Language header of the request as it was
// sent; empty outside of a request. The answer of a handler that calls it varies
// by Accept-Language.
func AcceptLanguageOf(ctx context.Context) string {
	if r, ok := requestOf(ctx); ok {
		return r.AcceptLanguage()
	}
	return ""
}

// Prefers reports whether the caller asks for a media type by its name, and not less than
// for another one. A caller that takes any type does not prefer it. The answer of a
// handler that calls Prefers varies by Accept.
func Prefers(ctx context.Context, media, other string) bool {
	r, ok := requestOf(ctx)
	if !ok {
		return false
	}
	accept := r.Accept()
	wanted := weightOf(accept, media)
	return wanted > 0 && wanted >= weightOf(accept, other)
}

// weightOf returns the weight that a header Accept gives to a media type by its name,
// from 0 to 1; 0 when it does not name it.
func weightOf(accept, media string) float64 {
	for item := range strings.SplitSeq(accept, ",") {
		name, parameters, _ := strings.Cut(item, ";")
		if !strings.EqualFold(strings.TrimSpace(name), media) {
			continue
		}
		for p := range strings.SplitSeq(parameters, ";") {
			if q, ok := strings.CutPrefix(strings.TrimSpace(p), "q="); ok {
				weight, _ := strconv.ParseFloat(q, 64) // a bad weight is 0
				return weight
			}
		}
		return 1
	}
	return 0
}

// RequestIDOf returns the id under which the log records this request; empty
// outside of a request.
func RequestIDOf(ctx context.Context) string {
	if r, ok := requestOf(ctx); ok {
		return r.ID()
	}
	return ""
}

// AddrOf returns the network address of the caller: the one in the header of a
// trusted edge, or that of the connection where no edge is trusted. It is zero
// when it is not known, and outside of a request.
func AddrOf(ctx context.Context) netip.Addr {
	if r, ok := requestOf(ctx); ok {
		return r.Addr()
	}
	return netip.Addr{}
}

// UserAgentOf returns the User-Agent of the request as it was sent; empty
// outside of a request.
func UserAgentOf(ctx context.Context) string {
	if r, ok := requestOf(ctx); ok {
		return r.UserAgent()
	}
	return ""
}

// CountryOf returns the country that the edge located the caller in, ISO 3166-1
// alpha-2. It is empty without a trusted edge, and when the edge names no country.
func CountryOf(ctx context.Context) string {
	if r, ok := requestOf(ctx); ok {
		return r.Country()
	}
	return ""
}
