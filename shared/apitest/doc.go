// Package apitest tests an HTTP handler against its description: it checks each
// response of a test against the OpenAPI document, and runs scripts of requests
// (see [Run]).
package apitest
