// Package storetest tests implementations of [store.DB] against its contract.
//
// It also provides databases that fail, hang or count their operations, for
// tests of code that uses a database.
package storetest
