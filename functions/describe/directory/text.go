package directory

import (
	"strings"
	"time"

	"miramundo.dev/functions/describe/profile"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// securityMonths is how far ahead security.txt expires. RFC 9116 recommends less than a
// year.
const securityMonths = 6

// Security returns security.txt (RFC 9116) as it is at a time. It expires at a midnight,
// so that it is the same for a whole day.
func Security(p *profile.Profile, now time.Time) string {
	contact := p.Page(site.Contact)
	if p.Email != "" {
		contact = "mailto:" + p.Email
	}
	expires := now.UTC().Truncate(24*time.Hour).AddDate(0, securityMonths, 0)
	var tags []string
	for _, l := range i18n.Locales {
		tags = append(tags, l.Tag())
	}
	return "Contact: " + contact + "\n" +
		"Expires: " + expires.Format(time.RFC3339) + "\n" +
		"Preferred-Languages: " + strings.Join(tags, ", ") + "\n" +
		"Canonical: " + p.URL(api.SecurityPath) + "\n"
}

// RegistryProof returns the line by which the MCP registry finds the public key of the
// publisher of this host's server, an Ed25519 key in base64.
func RegistryProof(key string) string { return "v=MCPv1; k=ed25519; p=" + key + "\n" }
