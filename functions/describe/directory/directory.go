// Package directory renders the documents by which directories and crawlers list the
// service: APIs.json, the API catalog, the agent card, security.txt and the key of the
// MCP registry.
//
// Each is a function from a [profile.Profile] to a value of the shape that its
// specification sets. The tests hold them to the rules of those specifications.
package directory

// tags are the words under which directories file the service.
var tags = []string{"television", "radio", "iptv", "streaming", "catalog", "search"}
