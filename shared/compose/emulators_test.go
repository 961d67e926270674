//go:build emulators

package compose

import _ "miramundo.dev/shared/wire/cloud" // for the tests on the emulators
