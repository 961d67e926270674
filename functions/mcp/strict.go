package mcp

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"miramundo.dev/shared/api"
)

// This file refuses what is not a message of the protocol. JSON-RPC has an error for
// each case: -32700 for a text that is not JSON, -32600 for JSON that is not a message,
// -32601 for an unknown method. By HTTP the first two answer 400. An unknown method
// answers 404 to the revision 2026-07-28, as that asks for, and 200 to earlier ones,
// whose clients read the error from the body of a 200 alone.

// versionHeader names the revision that a client speaks.
const versionHeader = "Mcp-Protocol-Version"

// modernVersion is the first revision without sessions and initialize.
const modernVersion = "2026-07-28"

func isModern(version string) bool { return version >= modernVersion }

// maxBatch is how many messages one request of an early revision may hold.
const maxBatch = 16

// methods are the requests that this server answers.
var methods = []string{
	"initialize", "ping", "server/discover", "tools/list", "tools/call",
	"resources/list", "resources/templates/list", "resources/read", "completion/complete",
}

// An envelope is what this file reads of a message.
type envelope struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  *string         `json:"method"`

	ignored bool // a notification that needs no answer and that nobody waits for
}

// A refusal is the JSON-RPC error in place of an answer.
type refusal struct {
	status  int
	code    int64
	message string
	data    any
}

// check reads the messages of a request and returns the first, or why they are refused.
func check(text []byte, modern bool) (envelope, *refusal) {
	text = bytes.TrimSpace(text)
	if !utf8.Valid(text) || !json.Valid(text) {
		return envelope{}, &refusal{http.StatusBadRequest, jsonrpc.CodeParseError, "Parse error: the body is not JSON in UTF-8", nil}
	}
	if text[0] != '[' {
		return checkMessage(text, modern)
	}
	var batch []json.RawMessage
	if err := json.Unmarshal(text, &batch); err != nil || len(batch) == 0 || len(batch) > maxBatch {
		return envelope{}, invalid("a batch has 1 to 16 messages")
	}
	ids := map[string]bool{}
	for _, one := range batch {
		e, bad := checkMessage(one, modern)
		if bad != nil && bad.code == jsonrpc.CodeInvalidRequest {
			return e, bad
		}
		if id := string(e.ID); id != "" && ids[id] {
			return envelope{}, invalid("the requests of a batch must have different ids")
		}
		ids[string(e.ID)] = true
	}
	return envelope{}, nil
}

// invalid returns the refusal of JSON that is not a message.
func invalid(reason string) *refusal {
	return &refusal{http.StatusBadRequest, jsonrpc.CodeInvalidRequest, "Invalid Request: " + reason, nil}
}

// checkMessage reads one message. A response needs no check: this server asks nothing.
func checkMessage(text []byte, modern bool) (e envelope, _ *refusal) {
	if text[0] != '{' || json.Unmarshal(text, &e) != nil {
		return envelope{}, invalid("a message is an object with the members jsonrpc and method")
	}
	if !isID(e.ID) {
		e.ID = nil
		return e, invalid("id must be a string or an integer")
	}
	switch {
	case e.Version != "2.0":
		return e, invalid(`jsonrpc must be "2.0"`)
	case e.Method == nil:
		return e, invalid("method must be a string")
	case len(e.ID) == 0:
		e.ignored = !strings.HasPrefix(*e.Method, "notifications/initialized")
		return e, nil
	case !slices.Contains(methods, *e.Method):
		status := http.StatusOK
		if modern {
			status = http.StatusNotFound
		}
		return e, &refusal{status, jsonrpc.CodeMethodNotFound, "Method not found: " + *e.Method, nil}
	}
	return e, nil
}

// isID reports whether id is one of JSON-RPC as MCP restricts it, or absent.
func isID(id json.RawMessage) bool {
	if len(id) == 0 || id[0] == '"' {
		return true
	}
	return strings.Trim(string(id), "-0123456789") == ""
}

// refusalOf returns the refusal for what the SDK refuses in plain text.
func refusalOf(status int, text, version string) *refusal {
	if status == http.StatusBadRequest && version != "" && !slices.Contains(mcp.SupportedProtocolVersions(), version) {
		return &refusal{status, mcp.CodeUnsupportedProtocolVersion, "Unsupported protocol version", map[string]any{
			"supported": mcp.SupportedProtocolVersions(), "requested": version,
		}}
	}
	return &refusal{status, jsonrpc.CodeInvalidRequest, cutQuote(text), nil}
}

// The SDK describes parameters of a wrong type by quoting all of them and by naming the
// types of the program. Parameters may hold secrets, which no error may repeat, so a
// message of the SDK is cut where the quotation begins.

// quotation is the word with which a quotation begins in messages of the SDK.
const quotation = "unmarshaling"

// withoutQuotes returns an answer of the SDK, or a batch of them, without the quotations
// in its errors.
func withoutQuotes(answer []byte) (json.RawMessage, error) {
	if !bytes.Contains(answer, []byte(quotation)) {
		return answer, nil
	}
	if answer[0] == '[' {
		var batch []json.RawMessage
		if err := json.Unmarshal(answer, &batch); err != nil {
			return nil, err
		}
		for i := range batch {
			var err error
			if batch[i], err = withoutQuotes(batch[i]); err != nil {
				return nil, err
			}
		}
		return json.Marshal(batch)
	}
	var one struct {
		ID    json.RawMessage `json:"id"`
		Error *rpcError       `json:"error"`
	}
	if err := json.Unmarshal(answer, &one); err != nil || one.Error == nil {
		return answer, err
	}
	one.Error.Message = cutQuote(one.Error.Message)
	return json.Marshal(rpcAnswer{Version: "2.0", ID: rpcID(one.ID), Error: one.Error})
}

// cutQuote returns a message of the SDK without its quotation.
func cutQuote(message string) string {
	if before, _, found := strings.Cut(message, quotation); found {
		return before + "a member is missing or has the wrong type"
	}
	return message
}

// send answers the message with the refusal.
func (f *refusal) send(w http.ResponseWriter, r *http.Request, to envelope) error {
	body, err := json.Marshal(rpcAnswer{Version: "2.0", ID: rpcID(to.ID), Error: &rpcError{f.code, f.message, f.data}})
	if err != nil {
		return err
	}
	return api.WriteStatus(w, r, f.status, "application/json", body)
}

// An rpcAnswer is a JSON-RPC response.
type rpcAnswer struct {
	Version string    `json:"jsonrpc" enum:"2.0" description:"Version of JSON-RPC: always 2.0."`
	ID      rpcID     `json:"id"`
	Result  any       `json:"result,omitempty" shape:"object" description:"Result of the method; its members depend on the method."`
	Error   *rpcError `json:"error,omitempty" description:"Failure of the request, in place of a result."`
}

// An rpcID is the id of a request as it was sent.
type rpcID json.RawMessage

// MarshalJSON returns the id, or null.
func (id rpcID) MarshalJSON() ([]byte, error) {
	if len(id) == 0 {
		return []byte("null"), nil
	}
	return id, nil
}

// JSONSchemaBytes describes the id.
func (rpcID) JSONSchemaBytes() ([]byte, error) {
	return []byte(`{"anyOf":[{"type":"string"},{"type":"integer"},{"type":"null"}],"description":"Id of the request; null when it could not be read."}`), nil
}

type rpcError struct {
	Code    int64  `json:"code" description:"-32700 not JSON, -32600 not a message, -32601 unknown method, -32602 invalid parameters, -32020 headers that contradict the message, -32022 a revision that is not supported."`
	Message string `json:"message" description:"The failure in a few words."`
	Data    any    `json:"data,omitempty" shape:"object" description:"Further facts, such as the revisions that are supported."`
}
