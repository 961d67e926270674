package functions

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/compose"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/source/collect"
	"miramundo.dev/shared/store"
)

// This file is the worked example of docs/adding-a-function.md: a function with
// one endpoint, one document, one topic, one secret and one schedule, and what
// derives from its entry in the table.

// A noteServer keeps one note and publishes that it has changed.
type noteServer struct {
	db  store.DB
	bus bus.Bus
}

type noteIn struct {
	Text string `json:"text" required:"true" maxLength:"100" description:"The text of the note."`
}

func (s *noteServer) write(ctx context.Context, in noteIn) (noteIn, error) {
	if err := s.db.Set(ctx, "notes/last", map[string]string{"text": in.Text}); err != nil {
		return noteIn{}, err
	}
	return in, s.bus.Publish(ctx, "notes", bus.Event{Data: []byte(in.Text)})
}

// noteEndpoints stand in the function's package.
var noteEndpoints = []api.Endpoint{
	api.Bind((*noteServer).write, api.Endpoint{
		Method: "POST", Path: "/api/note", Auth: api.Operator, Credential: "NOTES_TOKEN",
		Summary: "Write the note", Doc: "Replaces the note, and returns it.",
	}),
}

// sweepJob returns the job that deletes the note. It stands in the function's
// package.
func sweepJob(db store.DB) job.Job {
	return job.Job{Name: "note-sweep", Run: func(ctx context.Context, _ job.Order) (any, error) {
		return map[string]bool{"deleted": true}, db.Delete(ctx, "notes/last")
	}}
}

// newNoteSweep makes the job, beside the constructor of the server.
func newNoteSweep(p *compose.Parts) (job.Job, error) { return sweepJob(p.DB), nil }

// noteFunction is the entry in the table.
var noteFunction = Function{
	Process: compose.Process{
		Name: "notes", Needs: needs(compose.Documents, compose.Events), Publishes: []string{"notes"}, Receives: []string{"notes"},
		Schedules: []compose.Schedule{{Job: "note-sweep", Every: time.Hour, New: newNoteSweep}},
	},
	Endpoints: noteEndpoints,
	New: func(p *compose.Parts) (Server, error) {
		return one(&noteServer{p.DB, p.Bus}, noteEndpoints)
	},
}

// TestExampleFunction serves the example from its entry alone: its parts, its
// topic, its secret and its job need no other code.
func TestExampleFunction(t *testing.T) {
	o := optionsOver(t, openEmbedded(t), collect.Place{})
	o.Bus, o.Config.Backend, o.Config.DataDir, o.Schedules = nil, "embedded", t.TempDir(), noteFunction.Schedules
	p, err := compose.Open(t.Context(), o, noteFunction.Process, compose.Process{Needs: needs(compose.Jobs)})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	server, err := noteFunction.New(p.Only(noteFunction.Needs...))
	if err != nil {
		t.Fatal(err)
	}
	h := request.Mux(request.Options{Tokens: map[string]string{"NOTES_TOKEN": operatorToken}}, server.Groups...)
	for token, status := range map[string]int{"": http.StatusUnauthorized, "wrong": http.StatusUnauthorized, operatorToken: http.StatusOK} {
		answer, body := apitest.Do(t, h, "POST", "/api/note", `{"text":"hello"}`, "Content-Type", "application/json", "Authorization", "Bearer "+token)
		if answer.StatusCode != status {
			t.Errorf("with the token %q: %d %s, want %d", token, answer.StatusCode, body, status)
		}
	}
	var note struct{ Text string }
	if err := p.DB.Get(t.Context(), "notes/last", &note); err != nil || note.Text != "hello" {
		t.Errorf("the document holds %q, %v", note.Text, err)
	}
	if report, err := p.Jobs.Run(t.Context(), "note-sweep", job.Order{}); err != nil || !report.OK {
		t.Errorf("the job: %+v, %v", report, err)
	}
}

// TestExampleDerived checks what derives from the entry: the settings that the
// process requires, its part of infra, and its line in emulator.json.
func TestExampleDerived(t *testing.T) {
	want := []string{"NOTES_TOKEN"}
	if d := cmp.Diff(want, noteFunction.Requirement().Settings); d != "" {
		t.Errorf("required settings (-want +got):\n%s", d)
	}
	infra := deployedOf(noteFunction.Declared(), "function", "main", []string{noteEndpoints[0].Pattern()})
	if d := cmp.Diff(deployed{
		Name: "notes", Kind: "function", Host: "main", Opens: needs(compose.Documents, compose.Events, compose.Usage), Requires: want,
		Settings:  []string{"DATA_DIR", "NOTES_TOKEN"}, // a secret, once it is a field of config.Config whose meaning says so
		Publishes: []string{"notes", "usage"}, Receives: []string{"notes"}, Rejects: []string{"notes-dead"}, Delivery: deliveryOf(bus.Patient),
		Schedules: map[string]string{"note-sweep": "1h"}, Routes: []string{"POST /api/note"},
	}, infra); d != "" {
		t.Errorf("infra (-want +got):\n%s", d)
	}
	if line := jobLines(noteFunction.Declared())[0]; !strings.Contains(line, `"note-sweep": { "every": "1h", "path": "/jobs/note-sweep" }`) {
		t.Errorf("emulator.json has %s", line)
	}
}

// TestImpliedDatabase serves an endpoint that asks for a guest by a function that
// declares no needs: an old token is checked in the database.
func TestImpliedDatabase(t *testing.T) {
	endpoints := []api.Endpoint{api.Bind(callerServer.caller, api.Endpoint{
		Method: "GET", Path: "/needed", Auth: api.Guest, Summary: "Show the caller", Doc: "Returns the caller.",
	})}
	f := Function{Process: compose.Process{Name: "who"}, Endpoints: endpoints, New: func(*compose.Parts) (Server, error) {
		return one(callerServer{}, endpoints)
	}}
	o := optionsOver(t, nil, collect.Place{})
	o.Config.DataDir = t.TempDir()
	p, err := compose.Open(t.Context(), o, f.Declared())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if answer, body := apitest.Do(t, handler(t, f, p), "GET", "/needed", "", "X-Guest-Token", oldToken); answer.StatusCode != http.StatusUnauthorized {
		t.Errorf("an old token that owns nothing: %d %s, want 401", answer.StatusCode, body)
	}
}
