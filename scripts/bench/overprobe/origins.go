package overprobe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"strings"

	"miramundo.dev/shared/probe"
	"miramundo.dev/shared/probe/probetest"
)

// childFlag, as the only argument, makes a process serve as the origins.
const childFlag = "serve-as-origins"

// Child serves as the origins, and does not return, in a process that was started
// for it. Main must call it first; in any other process it does nothing.
func Child() {
	if len(os.Args) != 2 || os.Args[1] != childFlag {
		return
	}
	if err := serve(os.Stdout, os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// origins are simulated origins in a process of their own, so that their processor
// time is not counted.
type origins struct {
	Cases []probetest.Case
	Allow []string

	cmd *exec.Cmd
	in  io.Closer
}

// simulated is the number of origins.
const simulated = 500

// serve runs the origins until in ends. It writes their cases to out as JSON.
func serve(out io.Writer, in io.Reader) error {
	f, err := probetest.Start(simulated)
	if err != nil {
		return err
	}
	defer f.Close()
	o := origins{Allow: f.Origin().Allow}
	for _, c := range f.Cases {
		// Host names resolve only by the fleet's own name server.
		if u, err := url.Parse(c.Target.URL); err == nil && strings.HasPrefix(u.Hostname(), "127.") && c.Want != probe.Unknown {
			o.Cases = append(o.Cases, c)
		}
	}
	if err := json.NewEncoder(out).Encode(o); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, in)
	return err
}

// startOrigins starts the process of the origins, and reads their cases.
func startOrigins(ctx context.Context) (*origins, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	o := &origins{cmd: exec.CommandContext(ctx, self, childFlag)}
	o.cmd.Stderr = os.Stderr
	out, err := o.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if o.in, err = o.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := o.cmd.Start(); err != nil {
		return nil, err
	}
	if err := json.NewDecoder(out).Decode(o); err != nil {
		return nil, errors.Join(fmt.Errorf("the origins do not start: %w", err), o.close())
	}
	return o, nil
}

// close stops the process.
func (o *origins) close() error { return errors.Join(o.in.Close(), o.cmd.Wait()) }
