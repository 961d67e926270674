package manifest

import (
	"net/url"
	"strings"
)

// Join resolves a reference against a base address. An absolute reference is
// returned byte for byte.
func Join(base, ref string) (string, error) {
	if strings.HasPrefix(ref, "http://") || strings.HasPrefix(ref, "https://") {
		return ref, nil
	}
	b, err := url.Parse(base)
	if err != nil {
		return "", err
	}
	u, err := b.Parse(ref)
	if err != nil {
		return "", err
	}
	return u.String(), nil
}
