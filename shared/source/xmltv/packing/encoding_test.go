package packing

import (
	"strings"
	"testing"
)

func TestDeclared(t *testing.T) {
	for in, want := range map[string]string{
		``:                                             "",
		`<?xml?>`:                                      "",
		`<?xml version="1.0"?>`:                        "",
		`<?xml version="1.0" encoding="A"?>`:           "A",
		`<?xml version="encoding='B'"?>`:               "",
		`<?xml encoding="A" encoding="B"?>`:            "A",
		`<?xml encoding="A"`:                           "",
		` <?xml encoding="A"?>`:                        "",
		`<?xml version=1.0 encoding="A"?>`:             "",
		`<?xml version="1.0" ?> encoding="A"?`:         "",
		`<?xml ` + strings.Repeat(" ", maxDeclaration): "",
	} {
		if got := declared([]byte(in)); got != want {
			t.Errorf("%s says %q, want %q", in, got, want)
		}
	}
}
