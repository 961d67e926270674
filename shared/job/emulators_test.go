//go:build emulators

package job_test

import _ "miramundo.dev/shared/wire/cloud" // for the tests on the emulators
