//go:build emulators

package overlay

import _ "miramundo.dev/shared/wire/cloud" // for the tests on the emulators
