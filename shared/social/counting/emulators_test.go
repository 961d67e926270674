//go:build emulators

package counting

import _ "miramundo.dev/shared/wire/cloud" // for the tests on the emulators
