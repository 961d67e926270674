//go:build emulators

package wiretest

import _ "miramundo.dev/shared/wire/cloud" // for the tests on the emulators
