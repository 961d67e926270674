package main

import (
	"testing"

	"miramundo.dev/functions"
	"miramundo.dev/shared/api"
)

// TestTable checks that attacks can be chosen by their names, and that each token of the
// operator is guessed.
func TestTable(t *testing.T) {
	names := map[string]bool{}
	for _, a := range attacks {
		if names[a.name] || a.goal == "" || a.run == nil {
			t.Errorf("the attack %q is there twice, or without a goal or a program", a.name)
		}
		names[a.name] = true
	}
	for _, f := range functions.All() {
		for _, e := range f.Endpoints {
			if e.Credential != "" && !names["guess "+e.Credential] {
				t.Errorf("no attack guesses the token %s of %s", e.Credential, e.Pattern())
			}
		}
	}
	for token, door := range doors {
		if _, _, err := endpoint(door.call); err != nil {
			t.Errorf("%s: %v", token, err)
		}
	}
	if _, _, err := endpoint(api.CatalogToken); err == nil {
		t.Error("an endpoint that does not exist was found")
	}
}
