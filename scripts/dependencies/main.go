// Dependencies looks for known vulnerabilities in what the repository uses, and for
// newer versions of it:
//
//	go run ./scripts/dependencies
//
// It exits with status 1 when a vulnerability is known that the Go code here can reach or
// that a package served to browsers has, and when a module in use was withdrawn or is no
// longer maintained. Newer versions, and vulnerabilities of tools, are listed and fail
// nothing, since a release by others must not break a build here. What cannot be asked, such as a database that the network does not reach, is skipped by
// name.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// vulnerabilities is the database of govulncheck, and what it is asked for first.
const vulnerabilities = "https://vuln.go.dev/index/db.json"

// served is the folder of the packages that browsers are served.
const served = "."

// govulncheck is the program, in a version that is pinned as every dependency is.
const govulncheck = "golang.org/x/vuln/cmd/govulncheck@v1.9.0"

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	if err := run(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run reports every finding on out, and returns an error that names those that must be
// mended.
func run(ctx context.Context, out io.Writer) error {
	folders, err := packageFolders(".")
	if err != nil {
		return err
	}
	errs := []error{checkModules(ctx, out)}
	for _, folder := range folders {
		errs = append(errs, checkPackages(ctx, out, folder))
	}
	return errors.Join(append(errs, checkVulnerabilities(ctx, out, vulnerabilities))...)
}

// A version is a dependency of which there is another version than the one in use.
type version struct{ name, have, latest string }

// module is what go list says of one.
type module struct {
	Path, Version  string
	Main, Indirect bool
	Update         *struct{ Version string }
	Retracted      []string
	Deprecated     string
	Error          *struct{ Err string }
}

// checkModules compares the modules that go.mod requires with those that the proxy has.
func checkModules(ctx context.Context, out io.Writer) error {
	list, err := output(ctx, "go", "list", "-m", "-u", "-e", "-json", "all")
	if err != nil {
		return skip(out, "newer Go modules", err)
	}
	all, err := decodeModules(list)
	if err != nil {
		return err
	}
	var newer []version
	var wrong []error
	for _, m := range all {
		switch {
		case m.Main || m.Indirect:
		case len(m.Retracted) > 0:
			wrong = append(wrong, fmt.Errorf("%s %s was withdrawn: %s", m.Path, m.Version, strings.Join(m.Retracted, "; ")))
		case m.Deprecated != "":
			wrong = append(wrong, fmt.Errorf("%s is deprecated: %s", m.Path, m.Deprecated))
		case m.Error != nil:
			_ = skip(out, "newer versions of "+m.Path, errors.New(m.Error.Err))
		case m.Update != nil:
			newer = append(newer, version{m.Path, m.Version, m.Update.Version})
		}
	}
	show(out, "Go modules", newer)
	return errors.Join(wrong...)
}

// decodeModules returns the modules of a list, one JSON object after the other.
func decodeModules(list []byte) ([]module, error) {
	var all []module
	for d := json.NewDecoder(bytes.NewReader(list)); ; {
		var m module
		if err := d.Decode(&m); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("the list of modules: %w", err)
		}
		all = append(all, m)
	}
}

// packageFolders returns the folders below root that have an npm package of their own.
func packageFolders(root string) ([]string, error) {
	var folders []string
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || path != root && strings.HasPrefix(d.Name(), ".")):
			return filepath.SkipDir
		case d.Name() == "package-lock.json":
			folders = append(folders, filepath.Dir(path))
		}
		return nil
	})
	return folders, err
}

// checkPackages compares the npm packages of a folder with those of the registry, and
// asks it for vulnerabilities. npm fails when it finds some, so its answers alone count.
func checkPackages(ctx context.Context, out io.Writer, folder string) error {
	list, _ := output(ctx, "npm", "outdated", "--json", "--prefix", folder)
	newer, invalid := decodePackages(list)
	if invalid != nil {
		_ = skip(out, "newer npm packages of "+folder, invalid)
	}
	show(out, "npm packages of "+folder, newer)
	audit, _ := output(ctx, "npm", "audit", "--json", "--prefix", folder)
	found, invalid := decodeAudit(audit)
	if invalid != nil {
		return skip(out, "vulnerabilities of the npm packages of "+folder, invalid)
	}
	if len(found) == 0 {
		return nil
	}
	err := fmt.Errorf("known vulnerabilities in npm packages of %s: %s", folder, strings.Join(found, ", "))
	if folder != served {
		fmt.Fprintln(out, err)
		return nil
	}
	return err
}

// decodePackages returns the packages of the answer of npm outdated of which the
// registry has another version than the one that is wanted.
func decodePackages(list []byte) ([]version, error) {
	var all map[string]struct{ Wanted, Latest string }
	if err := json.Unmarshal(list, &all); err != nil {
		return nil, fmt.Errorf("npm outdated: %w", err)
	}
	var newer []version
	for name, p := range all {
		if p.Wanted != p.Latest {
			newer = append(newer, version{name, p.Wanted, p.Latest})
		}
	}
	slices.SortFunc(newer, func(a, b version) int { return cmp.Compare(a.name, b.name) })
	return newer, nil
}

// decodeAudit returns the packages with a vulnerability that npm calls high or critical.
func decodeAudit(answer []byte) ([]string, error) {
	var audit struct {
		Vulnerabilities map[string]struct{ Severity string }
		Message         string
		Error           struct{ Summary string }
	}
	if err := json.Unmarshal(answer, &audit); err != nil {
		return nil, fmt.Errorf("npm audit: %w", err)
	}
	if audit.Vulnerabilities == nil {
		return nil, fmt.Errorf("npm audit: %s", cmp.Or(audit.Message, audit.Error.Summary, "the answer lists nothing"))
	}
	var found []string
	for name, v := range audit.Vulnerabilities {
		if v.Severity == "high" || v.Severity == "critical" {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return found, nil
}

// checkVulnerabilities runs govulncheck, which fails when the code here calls something
// that is known to be vulnerable. database is asked first whether it can be reached.
func checkVulnerabilities(ctx context.Context, out io.Writer, database string) error {
	if err := reach(ctx, database); err != nil {
		return skip(out, "known vulnerabilities of Go modules", err)
	}
	report, err := output(ctx, "go", "run", govulncheck, "./...")
	fmt.Fprintf(out, "%s\n", report)
	if err != nil {
		return fmt.Errorf("govulncheck: %w", err)
	}
	return nil
}

// reach returns why an address does not answer.
func reach(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodHead, address, nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered %s", address, res.Status)
	}
	return nil
}

// skip says what could not be asked, and returns nil.
func skip(out io.Writer, what string, why error) error {
	first, _, _ := strings.Cut(why.Error(), "\n")
	fmt.Fprintf(out, "skipped: %s: %s\n", what, first)
	return nil
}

// show prints a table of what is newer elsewhere.
func show(out io.Writer, of string, newer []version) {
	if len(newer) == 0 {
		return
	}
	fmt.Fprintf(out, "%s, here and latest:\n", of)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, v := range newer {
		fmt.Fprintf(w, "  %s\t%s\t%s\n", v.name, v.have, v.latest)
	}
	_ = w.Flush() // an error of out shows in the next line too
}

// output runs a command and returns what it printed, also when it failed.
func output(ctx context.Context, name string, args ...string) ([]byte, error) {
	var printed, errors bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdout, cmd.Stderr = &printed, &errors
	if err := cmd.Run(); err != nil {
		return printed.Bytes(), fmt.Errorf("%w: %s", err, strings.TrimSpace(errors.String()))
	}
	return printed.Bytes(), nil
}
