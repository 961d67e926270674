package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"miramundo.dev/miramundo/backup"
	"miramundo.dev/miramundo/datafolder"
	"miramundo.dev/miramundo/machine"
	"miramundo.dev/shared/wire"
)

// A person is a guest who adds folders to a library.
type person struct {
	t     *testing.T
	token string

	mu    sync.Mutex
	saved []string // names of folders whose creation was acknowledged
}

func newPerson(t *testing.T, base string) *person {
	t.Helper()
	p := &person{t: t}
	var guest struct{ Token string }
	if status := p.call(base, "POST", "/api/guest", "", &guest); status != http.StatusOK {
		t.Fatalf("a guest is answered %d", status)
	}
	p.token = guest.Token
	return p
}

// call sends a request and decodes its answer into out.
func (p *person) call(base, method, path, body string, out any) int {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), method, base+path, strings.NewReader(body))
	if err != nil {
		p.t.Error(err)
		return 0
	}
	req.Header.Set("Content-Type", "application/json")
	if p.token != "" {
		req.Header.Set("X-Guest-Token", p.token)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Error(err)
		return 0
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(out); err != nil {
		p.t.Error(err)
	}
	return res.StatusCode
}

// save adds a folder, and reports whether that was acknowledged.
func (p *person) save(base string) bool {
	p.mu.Lock()
	name := fmt.Sprintf("Folder %d", len(p.saved))
	p.mu.Unlock()
	var answer any
	if p.call(base, "POST", "/api/categories", `{"name":"`+name+`"}`, &answer) != http.StatusOK {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.saved = append(p.saved, name)
	return true
}

// acknowledged returns the folders that were acknowledged until now.
func (p *person) acknowledged() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.saved...)
}

// TestRestoreUnderLoad backs up a stack while people write, in the stack itself and
// by the command beside it, and starts others on what was restored: whatever was
// acknowledged before a backup began is there, by the tokens of before.
func TestRestoreUnderLoad(t *testing.T) {
	data, catalog := filepath.Join(t.TempDir(), "a folder"), small(t, "https://one.example/live.m3u8")
	r := start(t, settings{data: data, catalog: catalog})
	people := []*person{newPerson(t, r.base), newPerson(t, r.base), newPerson(t, r.base)}
	stop := make(chan struct{})
	var writers sync.WaitGroup
	for _, p := range people {
		if !p.save(r.base) {
			t.Fatal("the first folder was not saved")
		}
		writers.Go(func() {
			for p.save(r.base) {
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	s := settings{layout: anywhere, stackFile: stackFile, data: data, backend: "embedded"}
	var before [][]string
	for _, p := range people {
		before = append(before, p.acknowledged())
	}
	var said strings.Builder
	if err := backupOnce(t.Context(), s, &said); err != nil {
		t.Fatal(err)
	}
	close(stop)
	writers.Wait()
	r.stop()
	if err := <-r.ended; err != nil {
		t.Fatal(err)
	}
	all, err := backup.List(filepath.Join(s.data, "backups"), time.Now())
	if err != nil || len(all) != 1 || !strings.Contains(said.String(), all[0]) {
		t.Fatalf("the backups are %v, %v, and it said %q", all, err, &said)
	}
	restored := settings{data: filepath.Join(t.TempDir(), "restored"), restore: all[0], catalog: catalog}
	if err := restoreOnce(t.Context(), restored, io.Discard); err != nil {
		t.Fatal(err)
	}
	if !machine.MarkIn(restored.data).Was(catalog) {
		t.Error("the restored folder does not name its catalog")
	}
	again := start(t, settings{data: restored.data, catalog: catalog})
	for i, p := range people {
		p.has(again.base, before[i])
	}
	again.stop()
	if err := <-again.ended; err != nil {
		t.Error(err)
	}
	if err := restoreOnce(t.Context(), restored, io.Discard); err == nil {
		t.Error("a backup was restored over data")
	}
}

// has checks that the library of p has folders.
func (p *person) has(base string, names []string) {
	p.t.Helper()
	var library struct{ Categories []struct{ Name string } }
	if status := p.call(base, "GET", "/api/library", "", &library); status != http.StatusOK {
		p.t.Errorf("the library is answered %d", status)
	}
	found := map[string]bool{}
	for _, c := range library.Categories {
		found[c.Name] = true
	}
	for _, name := range names {
		if !found[name] {
			p.t.Errorf("%s was acknowledged before the backup, and is lost", name)
		}
	}
}

// TestRescue deletes the database of a running stack, and in another case the whole
// folder: writes are answered 503 with a reason, health names it, reads go on, and
// the stack saves what it has open.
func TestRescue(t *testing.T) {
	for _, test := range []struct {
		name   string
		remove func(data string) error
	}{
		{"the database", func(data string) error { return os.Remove(wire.DatabasePath(data)) }},
		{"the folder", os.RemoveAll},
	} {
		t.Run(test.name, func(t *testing.T) {
			data, catalog := filepath.Join(t.TempDir(), "data"), small(t, "https://one.example/live.m3u8")
			backups := t.TempDir()
			r := start(t, settings{data: data, catalog: catalog, backups: backups})
			p := newPerson(t, r.base)
			if !p.save(r.base) {
				t.Fatal("the first folder was not saved")
			}
			if err := test.remove(data); err != nil {
				t.Fatal(err)
			}
			var refused struct{ Error, Reason string }
			if status := p.call(r.base, "POST", "/api/categories", `{"name":"late"}`, &refused); status != 503 || refused.Reason != "read_only" {
				t.Errorf("a write is answered %d %+v", status, refused)
			}
			var health struct {
				Database bool
				Reason   string `json:"database_reason"`
			}
			if p.call(r.base, "GET", "/api/health", "", &health); health.Database || health.Reason != "read_only" {
				t.Errorf("health is %+v", health)
			}
			p.has(r.base, p.acknowledged())
			saved := awaitBackup(t, backups)
			r.stop()
			<-r.ended
			restored := filepath.Join(t.TempDir(), "restored")
			if err := restoreOnce(t.Context(), settings{data: restored, restore: saved}, io.Discard); err != nil {
				t.Fatal(err)
			}
			again := start(t, settings{data: restored, catalog: catalog})
			p.has(again.base, p.acknowledged())
			again.stop()
			<-again.ended
		})
	}
}

// awaitBackup returns the first backup in a folder, once it is there.
func awaitBackup(t *testing.T, folder string) string {
	t.Helper()
	for t.Context().Err() == nil {
		all, err := backup.List(folder, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if len(all) > 0 {
			return all[0]
		}
		<-time.After(10 * time.Millisecond)
	}
	t.Fatal("no backup was made")
	return ""
}

// TestBackupRefuses makes backups of folders that are not whole.
func TestBackupRefuses(t *testing.T) {
	s := settings{layout: anywhere, stackFile: stackFile, data: t.TempDir(), backend: "embedded"}
	if err := backupOnce(t.Context(), s, io.Discard); err == nil || !strings.Contains(err.Error(), datafolder.SecretsFile) {
		t.Errorf("a backup of an empty folder = %v", err)
	}
	files := datafolder.Secrets{Dir: s.data, Inhabited: func() (bool, error) { return false, nil }}
	_, err := files.Load()
	_, err2 := datafolder.OperatorToken(s.data)
	_, err3 := datafolder.ReceivingAddress(s.data)
	if err := errors.Join(err, err2, err3); err != nil {
		t.Fatal(err)
	}
	if err := backupOnce(t.Context(), s, io.Discard); err == nil || !strings.Contains(err.Error(), "no database") {
		t.Errorf("a backup without a database = %v", err)
	}
	if all, err := backup.List(filepath.Join(s.data, "backups"), time.Now()); len(all) > 0 || err != nil {
		t.Errorf("%v were made, %v", all, err)
	}
}
