package functions

import (
	"bytes"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"miramundo.dev/shared/clienterror"
	"miramundo.dev/shared/compose"
	"miramundo.dev/shared/source/collect"
	"miramundo.dev/shared/wire/wiretest"
)

// TestLastReports ends a process within the minute of a report: the report is logged.
func TestLastReports(t *testing.T) {
	var out bytes.Buffer
	o := optionsOver(t, wiretest.OpenDB(t), collect.Place{})
	o.Log = slog.New(slog.NewTextHandler(&out, nil))
	p, err := compose.Open(t.Context(), o, Processes()...)
	if err != nil {
		t.Fatal(err)
	}
	h, err := Mux(p)
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest("POST", "/api/erro-cliente", strings.NewReader(`{"code":"UI-JS-001","phase":"use","message":"the last one"}`))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Origin", o.Config.BaseURL)
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, r)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); answer.Code != 204 || !strings.Contains(text, clienterror.Event) || !strings.Contains(text, "the last one") {
		t.Errorf("%d, logged: %s", answer.Code, text)
	}
}
