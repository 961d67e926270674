package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"miramundo.dev/shared/origin"
	"miramundo.dev/shared/source/collect"
)

func TestRun(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/endless", func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, strings.Repeat("sound ", 1000)); err != nil {
				return
			}
		}
	})
	s := httptest.NewServer(mux)
	defer s.Close()
	folder := fstest.MapFS{"stations.json": &fstest.MapFile{Data: fmt.Appendf(nil,
		`[{"stationuuid":"1","name":"Well","url":"%[1]s/endless"},{"stationuuid":"2","name":"Gone","url":"%[1]s/gone"}]`, s.URL)}}
	client := origin.New(origin.Options{Allow: []string{s.Listener.Addr().String()}})
	var out strings.Builder
	err := run(t.Context(), client, collect.Plan{Radio: collect.Place{Folder: folder, Name: "test"}}, &out)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || !strings.HasPrefix(lines[0], "Gone\t") || lines[1] != "1 of 2 addresses answer" {
		t.Errorf("printed:\n%s", out.String())
	}
}
