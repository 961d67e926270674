package functions

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/compose"
)

// pinGuide is a guide of a channel with an id and a name that say nothing.
const pinGuide = `<tv><channel id="r7"><display-name>Regional 7</display-name></channel>
<programme start="20261122110000 +0000" stop="20261122130000 +0000" channel="r7"><title>Jornal</title></programme>
<programme start="20261122110000 +0000" stop="20261122130000 +0000" channel="Aurora.br"><title>Filme</title></programme></tv>`

// guideStack returns the service with a guide of its own, read from a file "south".
func guideStack(t *testing.T, text, options string) http.Handler {
	t.Helper()
	file := filepath.Join(t.TempDir(), "south.xml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o := optionsOver(t, openEmbedded(t), fixture)
	o.Config.GuideSources = file + options
	p, err := compose.Open(t.Context(), o, Processes()...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	loadCatalog(t.Context(), t, p)
	h := mux(t, p)
	return apitest.Validating(t, h, documents(t)...)
}

// readGuide runs the job and returns how many channels have programmes of the file.
func readGuide(t *testing.T, h http.Handler) int {
	t.Helper()
	var report struct {
		Result struct {
			Sources []struct {
				Channels int `json:"kept"`
			}
		}
	}
	operate(t, h, "POST", "/api/admin/jobs/guide", "{}", http.StatusOK, &report)
	return report.Result.Sources[0].Channels
}

// TestGuideOfSite reads a guide by the ids that its site has for channels: the lists
// of sites come from what the last reload of the catalog read.
func TestGuideOfSite(t *testing.T) {
	const text = `<tv><channel id="2"><display-name>A name of no use</display-name></channel>
<programme start="20261122110000 +0000" stop="20261122130000 +0000" channel="2"><title>News</title></programme></tv>`
	if n := readGuide(t, guideStack(t, text, "#site=guide.example")); n != 1 {
		t.Errorf("%d channels have programmes", n)
	}
	if n := readGuide(t, guideStack(t, text, "#site=guia.example")); n != 0 {
		t.Errorf("%d channels have programmes by the ids of another site", n)
	}
}

// TestPins pins a channel of a guide to one of the catalog, runs the job, and removes
// the pin again.
func TestPins(t *testing.T) {
	v := guideStack(t, pinGuide, "")
	matched := func() int { return readGuide(t, v) }
	if n := matched(); n != 1 {
		t.Fatalf("without a pin %d channels have programmes", n)
	}
	const path = "/api/admin/guide/pins"
	var set struct {
		ID        string
		ChannelID *string `json:"channel_id"`
	}
	for body, want := range map[string]string{
		`{"source":"north","guide_id":"r7","channel_id":"Beacon.uk"}`:  `"param":"source"`,
		`{"source":"south","guide_id":" ","channel_id":"Beacon.uk"}`:   `"param":"guide_id"`,
		`{"source":"south","guide_id":"r7","channel_id":"Nowhere.uk"}`: "channel_not_found",
	} {
		status := http.StatusBadRequest
		if want == "channel_not_found" {
			status = http.StatusNotFound
		}
		if answer := operate(t, v, "POST", path, body, status, nil); !strings.Contains(answer, want) {
			t.Errorf("%s: %s, want %s", body, answer, want)
		}
	}
	operate(t, v, "POST", path, `{"source":"south","guide_id":"r7","channel_id":"Beacon.uk"}`, http.StatusOK, &set)
	if set.ChannelID == nil || *set.ChannelID != "Beacon.uk" {
		t.Errorf("set %+v", set)
	}
	if n := matched(); n != 2 {
		t.Errorf("with a pin %d channels have programmes", n)
	}
	var list struct {
		Items   []struct{ ID string }
		Total   int
		Sources []string
	}
	operate(t, v, "GET", path, "", http.StatusOK, &list)
	if diff := cmp.Diff([]string{"south"}, list.Sources); diff != "" || list.Total != 1 || list.Items[0].ID != set.ID {
		t.Errorf("listed %+v", list)
	}
	operate(t, v, "POST", path, `{"source":"south","guide_id":"r7","channel_id":""}`, http.StatusOK, &set)
	if set.ChannelID != nil {
		t.Errorf("pinned to none: %+v", set)
	}
	operate(t, v, "DELETE", path+"/"+set.ID, "", http.StatusOK, &list)
	if list.Total != 0 {
		t.Errorf("after removal %+v", list)
	}
	if n := matched(); n != 1 {
		t.Errorf("without the pin again %d channels have programmes", n)
	}
}

// operate sends a request of the operator, checks the status of the answer and
// decodes it into out, unless that is nil.
func operate(t *testing.T, h http.Handler, method, path, body string, status int, out any) string {
	t.Helper()
	answer, text := apitest.Do(t, h, method, path, body, "Authorization", "Bearer "+operatorToken, "Content-Type", "application/json")
	if answer.StatusCode != status {
		t.Fatalf("%s %s %s: %d %s, want %d", method, path, body, answer.StatusCode, text, status)
	}
	if out != nil {
		if err := json.Unmarshal([]byte(text), out); err != nil {
			t.Fatalf("%s %s: %v in %s", method, path, err, text)
		}
	}
	return text
}

// TestUnmatched lists the channels of a guide that match nothing, also after a run that
// did not read the guide again, and when the guide cannot be read any more.
func TestUnmatched(t *testing.T) {
	file := filepath.Join(t.TempDir(), "south.xml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(pinGuide)
	o := optionsOver(t, openEmbedded(t), fixture)
	o.Config.GuideSources = file
	p, err := compose.Open(t.Context(), o, Processes()...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	loadCatalog(t.Context(), t, p)
	h := mux(t, p)
	v := apitest.Validating(t, h, documents(t)...)
	type source struct {
		Name      string
		Problem   string
		Unchanged bool
		ReadAt    *string `json:"read_at"`
		Unmatched int
		Items     []struct{ ID, Name string }
	}
	list := func() source {
		t.Helper()
		var out struct{ Items []source }
		operate(t, v, "GET", "/api/admin/guide/unmatched", "", http.StatusOK, &out)
		if len(out.Items) != 1 {
			t.Fatalf("%d sources", len(out.Items))
		}
		return out.Items[0]
	}
	if s := list(); s.Name != "south" || s.ReadAt != nil || len(s.Items) != 0 {
		t.Errorf("before the first run: %+v", s)
	}
	for _, test := range []struct {
		name               string
		text               string
		unchanged, problem bool
	}{{"read", "", false, false}, {"not changed", "", true, false}, {"broken", "<tv>", false, true}} {
		if test.text != "" {
			write(test.text)
		}
		operate(t, v, "POST", "/api/admin/jobs/guide", "{}", http.StatusOK, nil)
		s := list()
		if s.Unchanged != test.unchanged || (s.Problem != "") != test.problem || s.ReadAt == nil || s.Unmatched != 1 || len(s.Items) != 1 || s.Items[0].ID != "r7" {
			t.Errorf("%s: %+v", test.name, s)
		}
	}
}
