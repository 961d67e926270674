package platform

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/infra/routing"
)

// TestMain runs the program of the tests when a test started this binary as such: it
// answers with its process id.
func TestMain(m *testing.M) {
	switch os.Getenv("TEST_PLATFORM") {
	case "":
		os.Exit(m.Run())
	case "ends":
		os.Exit(3)
	case "serves":
		fmt.Println("it serves")
		if err := http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), http.HandlerFunc(program)); err != nil {
			os.Exit(1)
		}
	}
}

// program answers with its process id, and what it was sent.
func program(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/ends":
		os.Exit(1)
	case "/hangs":
		<-r.Context().Done()
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
	}
	fmt.Fprint(w, os.Getpid(), " ", r.Host, " ", r.URL.RawQuery, " ", r.Header["X-Forwarded-For"], " ", string(body))
}

// testTime is how long a test waits for what must happen.
const testTime = time.Minute

// begin starts a service of the test's program.
func begin(t *testing.T, instances int, settings map[string]string) (s *Service, said func() string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	var mu sync.Mutex
	s, err = Start(Options{
		Name: "test", Program: exe, Settings: settings, Instances: instances, Log: io.Discard,
		Say: func(format string, args ...any) {
			mu.Lock()
			defer mu.Unlock()
			fmt.Fprintf(&lines, format+"\n", args...)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, func() string {
		mu.Lock()
		defer mu.Unlock()
		return lines.String()
	}
}

var serves = map[string]string{"TEST_PLATFORM": "serves"}

// ask sends a request to the service and returns the answer.
func ask(t *testing.T, s *Service, method, target, body string) (int, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testTime)
	defer cancel()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequestWithContext(ctx, method, target, strings.NewReader(body)))
	return w.Code, w.Body.String()
}

// await waits until done reports true.
func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	tick := time.NewTicker(poll)
	defer tick.Stop()
	limit := time.After(testTime)
	for !done() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatal("it takes too long: " + what)
		}
	}
}

// TestService sends requests to two instances: both get some, as they were sent. One that
// is killed is started again, and meanwhile the other one answers.
func TestService(t *testing.T) {
	s, said := begin(t, 2, serves)
	if err := s.Await(t.Context()); err != nil {
		t.Fatal(err)
	}
	pids := map[string]bool{}
	for range 10 {
		status, answer := ask(t, s, "POST", "http://a.example/x?a;b=%zz", "sent")
		pid, rest, _ := strings.Cut(answer, " ")
		if status != http.StatusOK || rest != "a.example a;b=%zz [] sent" {
			t.Fatalf("it answers %d %q", status, answer)
		}
		pids[pid] = true
	}
	var want []string
	for _, i := range s.Instances() {
		want = append(want, fmt.Sprint(i.PID()))
	}
	got := slices.Sorted(func(yield func(string) bool) {
		for pid := range pids {
			yield(pid)
		}
	})
	if slices.Sort(want); !cmp.Equal(want, got) {
		t.Errorf("the processes %v answered, want %v", got, want)
	}

	first := s.Instances()[0]
	if err := syscall.Kill(first.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	await(t, "the instance ends", func() bool { return !first.up.Load() })
	for range 4 {
		if status, answer := ask(t, s, "GET", "/", ""); status != http.StatusOK {
			t.Errorf("while one instance is down, the service answers %d %s", status, answer)
		}
	}
	await(t, "it is started again", func() bool { return first.Starts() == 2 && first.up.Load() })
	if text := said(); !strings.Contains(text, "test-1 ended (signal: killed)") {
		t.Errorf("it says %q", text)
	}
}

// TestRefusedConnection checks that a request goes to another instance, with its body,
// when the one that seemed to run does not accept it.
func TestRefusedConnection(t *testing.T) {
	s, _ := begin(t, 1, serves)
	if err := s.Await(t.Context()); err != nil {
		t.Fatal(err)
	}
	gone, err := newInstance(s.instances[0].o, 2)
	if err != nil {
		t.Fatal(err)
	}
	gone.up.Store(true)
	s.instances = append(s.instances, gone)
	for range 2 {
		if status, answer := ask(t, s, "POST", "/", "sent"); status != http.StatusOK || !strings.HasSuffix(answer, " sent") {
			t.Errorf("it answers %d %q", status, answer)
		}
	}
}

// TestCutOff checks that a request whose instance ends is answered with 502, and sent to no
// other: it may have been carried out.
func TestCutOff(t *testing.T) {
	s, _ := begin(t, 1, serves)
	if err := s.Await(t.Context()); err != nil {
		t.Fatal(err)
	}
	if status, answer := ask(t, s, "POST", "/ends", ""); status != http.StatusBadGateway || !strings.Contains(answer, "no answer") {
		t.Errorf("it answers %d %q", status, answer)
	}
	if n := s.Instances()[0].busy.Load(); n != 0 {
		t.Errorf("%d requests count as under way", n)
	}
}

// TestBusy checks that an instance that hangs is left alone while another one is idle.
func TestBusy(t *testing.T) {
	s, _ := begin(t, 2, serves)
	if err := s.Await(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var hanging sync.WaitGroup
	hanging.Go(func() {
		s.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "GET", "/hangs", nil))
	})
	defer hanging.Wait()
	defer cancel()
	busy := func() (n int64) {
		for _, i := range s.Instances() {
			n += i.busy.Load()
		}
		return n
	}
	await(t, "the request is under way", func() bool { return busy() == 1 })
	pids := map[string]bool{}
	for range 6 {
		_, answer := ask(t, s, "GET", "/", "")
		pid, _, _ := strings.Cut(answer, " ")
		pids[pid] = true
	}
	if len(pids) != 1 {
		t.Errorf("%d instances answer beside a request that hangs, want the idle one", len(pids))
	}
}

// TestEndsAtOnce checks that a program that does not run is started again after pauses,
// and that those who wait for it hear of it.
func TestEndsAtOnce(t *testing.T) {
	s, said := begin(t, 1, map[string]string{"TEST_PLATFORM": "ends"})
	await(t, "it is started again", func() bool { return s.Instances()[0].Starts() >= 2 })
	if _, err := s.choose(t.Context(), poll); !errors.Is(err, errNone) {
		t.Errorf("a service of which nothing runs has an instance, %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*poll)
	defer cancel()
	if err := s.Await(ctx); err == nil || !strings.Contains(err.Error(), "test-1") {
		t.Errorf("it is awaited with %v", err)
	}
	if text := said(); !strings.Contains(text, "exit status 3") {
		t.Errorf("it says %q", text)
	}
}

// TestListing writes the instances of a service to a file, and reads them back.
func TestListing(t *testing.T) {
	s, _ := begin(t, 2, serves)
	if err := s.Await(t.Context()); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "instances.json")
	if err := WriteInstances(file, []*Service{s}); err != nil {
		t.Fatal(err)
	}
	got, err := ReadInstances(file)
	var want []Listed
	for _, i := range s.Instances() {
		want = append(want, Listed{"test", i.Name, i.Address, i.PID(), 1})
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if err := os.WriteFile(file, []byte("["), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadInstances(file); err == nil {
		t.Error("half a file has instances")
	}
	if err := WriteInstances(filepath.Join(file, "x"), nil); err == nil {
		t.Error("a file below a file can be written")
	}
}

// TestClose checks that no process is left.
func TestClose(t *testing.T) {
	s, _ := begin(t, 2, serves)
	if err := s.Await(t.Context()); err != nil {
		t.Fatal(err)
	}
	pid := s.Instances()[0].PID()
	s.Close()
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("after Close the process %d is there: %v", pid, err)
	}
	if _, err := s.choose(t.Context(), time.Hour); !errors.Is(err, errNone) { // at once
		t.Errorf("after Close a request waits for an instance: %v", err)
	}
	if c, err := net.Dial("tcp", s.Instances()[1].Address); err == nil {
		c.Close()
		t.Error("after Close an instance accepts connections")
	}
}

// named answers with its name.
type named string

func (n named) ServeHTTP(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, string(n)) }

// TestBalance leads requests to services by rules, and to the services of the
// repository's deployment by its rules.
func TestBalance(t *testing.T) {
	rules, err := routing.Read("../../../infra/routes.json")
	if err != nil {
		t.Fatal(err)
	}
	services := map[string]http.Handler{}
	for _, name := range rules.Processes() {
		services[name] = named(name)
	}
	b, err := Balance(rules, services)
	if err != nil {
		t.Fatal(err)
	}
	for target, want := range map[string]string{
		"/api/channels": "catalog", "/api/chat/a/ws": "chatroom", "/f/token/library.m3u": "feeds", "/en": "web",
		"/api/items/a%2Fb": "library", "//api/channels": "web", "/api/nothing": "describe",
	} {
		w := httptest.NewRecorder()
		if b.ServeHTTP(w, httptest.NewRequest("GET", "http://a.example"+target, nil)); w.Body.String() != want {
			t.Errorf("%s leads to %s, want %s", target, w.Body, want)
		}
	}
	delete(services, "catalog")
	if _, err := Balance(rules, services); err == nil {
		t.Error("a rule leads to no service")
	}
}
