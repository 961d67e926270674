package functions

import (
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"testing"

	"miramundo.dev/shared/api/openapi"
	"miramundo.dev/shared/apitest"
)

// examplesFile holds the examples of the OpenAPI documents, which the build embeds.
const examplesFile = "describe/spec/examples.json"

// keepExamples compares the examples with those that the documents have. After
// -update has changed them it rewrites the documents too, by a build that embeds the
// new ones.
func keepExamples(t *testing.T, examples openapi.Examples) {
	t.Helper()
	text, err := json.MarshalIndent(examples, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(examplesFile)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, examplesFile, string(text)+"\n")
	if !*update || string(before) == string(text)+"\n" {
		return
	}
	if out, err := exec.CommandContext(t.Context(), "go", "test", ".", "-run", "^TestOpenAPI$", "-update").CombinedOutput(); err != nil {
		t.Errorf("rewriting the OpenAPI documents: %v\n%s", err, out)
	}
}

// withoutAnswer are the operations whose success no API script reaches, each for a
// reason. Their requests have examples.
var withoutAnswer = map[string]string{
	"get_openapi": tooLong, "get_operator_openapi": tooLong, "export_account": noRecent,
	"delete_account": noRecent, "end_session": noRecent, "change_member_role": noOther, "remove_member": noOther,
	"replace_account_photo": noPicture, "delete_account_photo": noPicture,
	"sign_in_by_password": noSecret, "sign_in_by_second_factor": noSecret,
	"sign_in_by_passkey": noKey, "add_passkey": noKey, "rename_passkey": noKey, "remove_passkey": noKey,
	"buy_credit": noPayment, "get_credit": noPayment, "settle_open_receipt": noPayment,
	"add_guide_pin": noGuide, "remove_guide_pin": noGuide, "list_moderation_acts": noOrder, "preview_texts": noOrder,
	"get_dump_file": noDump,
}

// Reasons for which no script reaches the success of an operation. Tests in Go do.
const (
	tooLong   = "the answer is a document that describes itself"
	noRecent  = "it needs a sign-in that is recent, or a second session"
	noOther   = "it needs another member of an organization"
	noPicture = "it takes or removes a picture, which a script cannot contain"
	noSecret  = "it needs a password or a second factor, which the account page sets"
	noKey     = "it needs the signature of an authenticator"
	noPayment = "it needs a payment"
	noOrder   = "acts and texts of the same time are in the order of their ids, which are drawn by chance"
	noDump    = "it needs the name of a dump, which is drawn from the catalog's version"
	noGuide   = "it needs the channels of a guide's source"
)

// TestOpenAPIExamples checks that each operation with a body has an example of it, that fits
// its schema.
func TestOpenAPIExamples(t *testing.T) {
	for _, text := range documents(t) {
		if err := apitest.ValidateExamples(text); err != nil {
			t.Error(err)
		}
		for _, methods := range parsed(t, text)["paths"].(map[string]any) {
			for _, op := range methods.(map[string]any) {
				checkExamples(t, op.(map[string]any))
			}
		}
	}
}

// checkExamples checks that the bodies of an operation have examples.
func checkExamples(t *testing.T, op map[string]any) {
	t.Helper()
	name := op["operationId"].(string)
	if body, ok := op["requestBody"].(map[string]any); ok && body["required"] == true && lacksExample(body) && withoutAnswer[name] != noGuide {
		t.Errorf("%s needs an example of its request: a call of it in functions/testdata/api that is well formed", name)
	}
	lacks := false
	for status, r := range op["responses"].(map[string]any) {
		lacks = lacks || status[0] == '2' && lacksExample(r.(map[string]any))
	}
	if _, excused := withoutAnswer[name]; lacks != excused {
		t.Errorf("%s lacks an example of its answer: %t; it needs a call that succeeds in functions/testdata/api, or else a reason in withoutAnswer", name, lacks)
	}
}

// lacksExample reports whether a body has no example in any of its media types.
// Pictures and archives need none.
func lacksExample(body map[string]any) bool {
	content, _ := body["content"].(map[string]any)
	lacks := false
	for media, c := range content {
		if slices.Contains([]string{"image/svg+xml", "image/webp", "image/png", "image/jpeg", "image/gif", "application/gzip"}, media) {
			continue
		}
		if c.(map[string]any)["example"] != nil {
			return false
		}
		lacks = true
	}
	return lacks
}
