// Package bustest tests implementations of [bus.Bus] against its contract.
//
// It also provides a bus that fails, and one that delivers twice and out of
// order, for tests of code that uses a bus.
package bustest
