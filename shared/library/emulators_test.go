//go:build emulators

package library

import _ "miramundo.dev/shared/wire/cloud" // for the tests on the emulators
