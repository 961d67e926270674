package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"miramundo.dev/functions"
	"miramundo.dev/scripts/localstack"
	"miramundo.dev/scripts/players/container"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/request"
)

// addressHeader is the header in which an attack says from where it comes, as the edge
// of a deployment does.
const addressHeader = "X-Attack-Address"

// patience is how long the local stack may take to start and to stop.
const patience = 60 * time.Second

// A target is what is attacked: the local stack, and functions that it does not show.
type target struct {
	small  bool
	tokens map[string]string // of the operator, by their names
	said   *localstack.Log   // of the functions

	dir      string
	stack    *localstack.Stack
	serve    string // the program of functions
	apart    map[string]*container.Server
	settings []string
	networks int // that attacks came from so far
}

// open builds the programs and starts the local stack.
func open(ctx context.Context, small bool) (t *target, err error) {
	t = &target{small: small, tokens: map[string]string{}, said: &localstack.Log{}, apart: map[string]*container.Server{}}
	if t.dir, err = os.MkdirTemp("", "attack"); err != nil {
		return nil, err
	}
	for _, name := range []string{api.CatalogToken, api.MetricsToken, api.EventsToken, api.JobsToken} {
		t.tokens[name] = rand.Text()
		t.settings = append(t.settings, name+"="+t.tokens[name])
	}
	for _, name := range []string{"GUEST_KEYS", "ACCOUNT_KEYS", "PEOPLE_KEYS"} {
		t.settings = append(t.settings, name+"=main:"+rand.Text()+rand.Text())
	}
	t.settings = append(t.settings, "EDGE_ADDRESS_HEADER="+addressHeader, "LOG_LEVEL=info")
	if err := t.start(ctx); err != nil {
		return nil, errors.Join(err, t.close())
	}
	return t, nil
}

// start builds the programs and waits until the stack answers.
func (t *target) start(ctx context.Context) (err error) {
	program, err := container.Build(ctx, t.dir, "scripts/dev")
	if err != nil {
		return err
	}
	if t.serve, err = container.Build(ctx, t.dir, "functions/serve"); err != nil {
		return err
	}
	t.stack, err = localstack.Start(ctx, localstack.Options{
		Program: program, Ready: patience, Stop: patience, Env: t.settings,
		Args: []string{"-gateway", "127.0.0.1:0", "-catalog", "sample", "-data", filepath.Join(t.dir, "data"), "-jobs=false"},
	})
	return err
}

// close stops what was started and removes the data.
func (t *target) close() error {
	var errs []error
	for _, s := range t.apart {
		errs = append(errs, s.Stop())
	}
	if t.stack != nil {
		errs = append(errs, t.stack.Stop())
	}
	return errors.Join(append(errs, os.RemoveAll(t.dir))...)
}

// function returns the address of an instance of a function, which it starts when it is
// asked for first. Instances share a database, which is not that of the stack.
func (t *target) function(ctx context.Context, name string, instance int) (string, error) {
	key := fmt.Sprint(name, instance)
	if s := t.apart[key]; s != nil {
		return s.URL, nil
	}
	s, err := container.Start(ctx, container.Options{
		Program: t.serve, Data: filepath.Join(t.dir, "apart"), Log: t.said, Path: request.ReadyPath,
		Env: append([]string{"FUNCTION_TARGET=" + name, "CATALOG=sample", "MAIL_FOLDER=" + filepath.Join(t.dir, "mail")}, t.settings...),
	})
	if err != nil {
		return "", fmt.Errorf("the function %s: %w: %s", name, err, t.said.String())
	}
	t.apart[key] = s
	return s.URL, nil
}

// tries returns how many tries an attack makes.
func (t *target) tries(all, small int) int {
	if t.small {
		return small
	}
	return all
}

// network returns an address of a network that no attack came from before.
func (t *target) network() string {
	t.networks++
	return fmt.Sprintf("198.18.%d.%d", t.networks>>8, t.networks&255)
}

// A try is one request of an attack.
type try struct {
	base, call string // the address of a process, and the name of an endpoint
	id         string // in the path
	query      string // with its question mark
	body, from string
	header     [2]string
}

// send makes a try and returns the status and the body of the answer.
func (t *target) send(ctx context.Context, y try) (status int, body []byte, err error) {
	method, path, err := endpoint(y.call)
	if err != nil {
		return 0, nil, err
	}
	path = strings.NewReplacer("{id}", y.id, "{channel_id}", y.id, "{name}", y.id).Replace(path)
	r, err := http.NewRequestWithContext(ctx, method, y.base+path+y.query, strings.NewReader(y.body))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set(addressHeader, y.from)
	if y.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if y.header[0] != "" {
		r.Header.Set(y.header[0], y.header[1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	body, err = io.ReadAll(answer.Body)
	if answer.StatusCode == http.StatusTooManyRequests && answer.Header.Get("Retry-After") == "" {
		return 0, nil, fmt.Errorf("%s answers 429 without Retry-After", y.call)
	}
	return answer.StatusCode, body, err
}

// endpoint returns the method and path of the endpoint with a name.
func endpoint(name string) (method, path string, err error) {
	for _, f := range functions.All() {
		for _, e := range f.Endpoints {
			if e.Name == name {
				return e.Method, e.Path, nil
			}
		}
	}
	return "", "", fmt.Errorf("no function has the endpoint %s", name)
}
