package legacy

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// A browser is a headless Chromium that is told what to do over a pipe, in the
// DevTools protocol: one JSON message after the other, each ended by a zero.
type browser struct {
	t       *testing.T
	in      io.WriteCloser
	session string

	mu      sync.Mutex
	next    int                          // guarded by mu, as all below
	waiting map[int]chan json.RawMessage // by id of the command
	trouble []string                     // what the console, the log and exceptions told
	failed  error                        // of the pipe
}

// A message is what comes over the pipe.
type message struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// startBrowser starts a browser with one page, or skips the test.
func startBrowser(t *testing.T) *browser {
	t.Helper()
	program := findProgram("chromium", "chromium-browser", "google-chrome")
	if program == "" {
		t.Skip("no chromium")
	}
	fromUs, toBrowser, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromBrowser, toUs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, program, "--headless", "--no-sandbox", "--disable-gpu", "--mute-audio", "--no-first-run",
		"--autoplay-policy=no-user-gesture-required", "--remote-debugging-pipe", "--user-data-dir="+t.TempDir())
	cmd.ExtraFiles = []*os.File{fromUs, toUs} // where Chromium expects them: 3 and 4
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	fromUs.Close()
	toUs.Close()
	b := &browser{t: t, in: toBrowser, waiting: map[int]chan json.RawMessage{}}
	var reading sync.WaitGroup
	reading.Go(func() { b.read(fromBrowser) })
	t.Cleanup(func() {
		b.call("Browser.close", nil)
		_ = cmd.Wait()
		cancel()
		toBrowser.Close()
		reading.Wait()
		fromBrowser.Close()
	})
	b.open()
	return b
}

func findProgram(names ...string) string {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// open makes the page, and asks to be told what goes wrong in it.
func (b *browser) open() {
	var target struct{ TargetID string }
	b.into(&target, "Target.createTarget", map[string]any{"url": "about:blank"})
	var attached struct{ SessionID string }
	b.into(&attached, "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true})
	b.session = attached.SessionID
	for _, domain := range []string{"Runtime", "Log", "Page"} {
		b.call(domain+".enable", nil)
	}
}

// read takes what comes until the pipe ends.
func (b *browser) read(r io.Reader) {
	for in := bufio.NewReader(r); ; {
		data, err := in.ReadBytes(0)
		if err != nil {
			b.end(err)
			return
		}
		var m message
		if err := json.Unmarshal(data[:len(data)-1], &m); err != nil {
			b.end(err)
			return
		}
		b.take(&m)
	}
}

func (b *browser) end(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failed = err
	for id, c := range b.waiting {
		close(c)
		delete(b.waiting, id)
	}
}

func (b *browser) take(m *message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if c := b.waiting[m.ID]; c != nil {
		delete(b.waiting, m.ID)
		if m.Error != nil {
			m.Result = json.RawMessage(fmt.Sprintf(`{"failure":%q}`, m.Error.Message))
		}
		c <- m.Result
		return
	}
	b.note(m)
}

// note keeps what tells of trouble. The lock is held.
func (b *browser) note(m *message) {
	var p struct {
		Type  string
		Entry struct{ Level, Text, URL string }
	}
	if json.Unmarshal(m.Params, &p) != nil {
		return
	}
	switch {
	case m.Method == "Runtime.exceptionThrown",
		m.Method == "Runtime.consoleAPICalled" && (p.Type == "error" || p.Type == "warning"),
		m.Method == "Log.entryAdded" && (p.Entry.Level == "error" || p.Entry.Level == "warning"):
		b.trouble = append(b.trouble, m.Method+" "+string(m.Params))
	}
}

// call gives a command and returns its result.
func (b *browser) call(method string, params map[string]any) json.RawMessage {
	b.t.Helper()
	b.mu.Lock()
	b.next++
	c := make(chan json.RawMessage, 1)
	dead := b.failed
	command := map[string]any{"id": b.next, "method": method}
	if b.session != "" && !strings.HasPrefix(method, "Browser.") {
		command["sessionId"] = b.session
	}
	if params != nil {
		command["params"] = params
	}
	if dead == nil {
		b.waiting[b.next] = c
	}
	b.mu.Unlock()
	data, err := json.Marshal(command)
	if err == nil && dead == nil {
		_, err = b.in.Write(append(data, 0))
	}
	if err != nil || dead != nil {
		b.t.Fatalf("%s: %v %v", method, err, dead)
	}
	select {
	case result := <-c:
		return result
	case <-time.After(time.Minute):
		b.t.Fatalf("%s: no answer", method)
		return nil
	}
}

// into gives a command and decodes its result.
func (b *browser) into(result any, method string, params map[string]any) {
	b.t.Helper()
	data := b.call(method, params)
	if err := json.Unmarshal(data, result); err != nil || strings.HasPrefix(string(data), `{"failure"`) {
		b.t.Fatalf("%s: %s %v", method, data, err)
	}
}

// visit opens an address and forgets earlier trouble.
func (b *browser) visit(address string) {
	b.t.Helper()
	b.mu.Lock()
	b.trouble = nil
	b.mu.Unlock()
	var nav struct{ ErrorText string }
	b.into(&nav, "Page.navigate", map[string]any{"url": address})
	if nav.ErrorText != "" {
		b.t.Fatalf("%s: %s", address, nav.ErrorText)
	}
}

// until waits for an expression of the page to be true, for up to 20 seconds,
// and returns what another is then.
func (b *browser) until(condition, value string) string {
	b.t.Helper()
	var out struct {
		Result           struct{ Value string }
		ExceptionDetails json.RawMessage
	}
	b.into(&out, "Runtime.evaluate", map[string]any{"awaitPromise": true, "returnByValue": true, "expression": `new Promise((resolve) => {
		const start = performance.now();
		const timer = setInterval(() => {
			const late = performance.now() - start > 20000;
			if (!late && !(` + condition + `)) return;
			clearInterval(timer);
			resolve((late ? "LATE " : "") + String(` + value + `));
		}, 50);
	})`})
	if out.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", condition, out.ExceptionDetails)
	}
	return out.Result.Value
}

// troubles returns what went wrong since the last visit.
func (b *browser) troubles() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.trouble...)
}
