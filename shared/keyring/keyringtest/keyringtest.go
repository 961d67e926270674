// Package keyringtest makes rings of keys for tests.
package keyringtest

import "miramundo.dev/shared/keyring"

// Ring returns the ring of a setting, such as a single secret of at least 32
// characters. It panics when the setting is not valid.
func Ring(setting string) *keyring.Ring {
	r, err := keyring.Parse(setting)
	if err != nil {
		panic(err)
	}
	return r
}
