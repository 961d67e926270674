package manifest

import (
	"net/url"
	"strings"
)

// Join returns the address that a reference means at another address, in the
// words of who wrote it where it is whole.
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
