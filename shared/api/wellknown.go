package api

// Paths of the documents that programs look for at a fixed place, without a link to
// them. No other file is served below /.well-known/.
const (
	CatalogPath   = "/.well-known/api-catalog"       // list of the APIs (RFC 9727)
	SecurityPath  = "/.well-known/security.txt"      // whom to report vulnerabilities to (RFC 9116)
	PaymentsPath  = "/.well-known/x402"              // routes that charge
	AgentCardPath = "/.well-known/agent-card.json"   // what agents can do here
	RegistryPath  = "/.well-known/mcp-registry-auth" // public key of the publisher of the MCP server
	APIsPath      = "/.well-known/apis.json"         // APIs.json, also at /apis.json
)

// LLMsPath is where language models look for a map of a site.
const LLMsPath = "/llms.txt"

// WellKnown lists the paths below /.well-known/.
var WellKnown = []string{CatalogPath, SecurityPath, PaymentsPath, AgentCardPath, RegistryPath, APIsPath}
