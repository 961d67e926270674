package datafolder

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"miramundo.dev/shared/billing/x402"
	"miramundo.dev/shared/keyring"
)

// The names of the files, within the folder.
const (
	SecretsFile  = "secrets.json"
	CopyFile     = "secrets.copy.json"
	TokenFile    = "operator-token"
	ReceiverFile = "payment-address"
	CatalogFile  = "catalog" // the name of the catalog that the database has
)

// rings are the settings with key rings that a stack makes for itself, once. Each
// has the name of the setting that held its only key in earlier versions.
var rings = []struct{ name, before string }{
	{"GUEST_KEYS", "GUEST_KEY"}, {"HOP_TICKET_KEYS", "HOP_TICKET_KEY"}, {"PEOPLE_KEYS", "PEOPLE_KEY"}, {"ACCOUNT_KEYS", ""},
}

// danger is what is lost with the secrets.
const danger = "every guest token, feed link, session and second factor: with other secrets none of them is valid, and no guest reaches their library again"

// Secrets are where and how the secrets of a stack are kept.
type Secrets struct {
	Dir string
	// Inhabited reports whether the database has documents of people, whose tokens
	// the secrets sign. New secrets are not made where it does.
	Inhabited  func() (bool, error)
	Remedy     string                           // where a backup is
	AcceptLoss bool                             // make new secrets all the same
	Say        func(format string, args ...any) // of what was restored
	Now        func() time.Time
}

// Load returns the secrets by the names of their settings. It makes those that are
// not there, so that what one start has signed the next one accepts. The key of an
// earlier version becomes the key of its ring, so that guests keep their libraries.
//
// A file that is damaged or missing is restored from its copy. When neither can be
// used, Load returns a [Trouble], unless the folder is new.
func (s Secrets) Load() (map[string]string, error) {
	path, copyPath := filepath.Join(s.Dir, SecretsFile), filepath.Join(s.Dir, CopyFile)
	kept, err := readSecrets(path)
	second, err2 := readSecrets(copyPath)
	missing := errors.Is(err, fs.ErrNotExist) && errors.Is(err2, fs.ErrNotExist)
	switch {
	case err == nil:
	case err2 == nil:
		s.Say("%s is restored from its copy %s: %v", path, CopyFile, plainly(err))
		kept = second
	case missing:
		if err := s.mayBegin(path); err != nil {
			return nil, err
		}
		kept = map[string]string{}
	default:
		if err := s.mayReplace(path, err, err2); err != nil {
			return nil, err
		}
		kept = map[string]string{}
	}
	return kept, s.complete(kept, second, missing)
}

// readSecrets reads a file with secrets. One without a key of guests is damaged.
func readSecrets(path string) (map[string]string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, errors.New("it is empty")
	}
	var kept map[string]string
	if err := json.Unmarshal(data, &kept); err != nil {
		return nil, fmt.Errorf("it is damaged (%w)", err)
	}
	for _, ring := range rings {
		ringed, err := keyring.Parse(cmp.Or(kept[ring.name], kept[ring.before]))
		if err != nil || ring.name == rings[0].name && ringed.Check() != nil {
			return nil, fmt.Errorf("it is damaged (%s is missing or is not a key ring)", ring.name)
		}
	}
	return kept, nil
}

// plainly returns err without the path, which the message has already.
func plainly(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	return err
}

// mayBegin returns a Trouble when the folder without secrets has a database with
// documents of people.
func (s Secrets) mayBegin(path string) error {
	if s.AcceptLoss {
		return nil
	}
	inhabited, err := s.Inhabited()
	if err != nil || !inhabited {
		return err
	}
	return &Trouble{
		Problem: fmt.Sprintf("secrets of the data folder: %s and its copy %s are missing, and the database beside them has guests or accounts", path, CopyFile),
		Danger:  danger, Remedy: "put the file back that belongs to this database; else " + s.Remedy, Loss: true,
	}
}

// mayReplace returns a Trouble unless the operator accepts the loss of both files,
// which are renamed then.
func (s Secrets) mayReplace(path string, first, second error) error {
	if !s.AcceptLoss {
		return &Trouble{
			Problem: fmt.Sprintf("secrets of the data folder: %s cannot be used: %v; nor can its copy %s: %v", path, plainly(first), CopyFile, plainly(second)),
			Danger:  danger, Remedy: "put a good file back; else " + s.Remedy, Loss: true,
		}
	}
	for _, name := range []string{SecretsFile, CopyFile} {
		if err := s.setAside(filepath.Join(s.Dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// setAside gives a file a name with the time.
func (s Secrets) setAside(path string) error {
	to := path + s.Now().UTC().Format(".20060102T150405Z")
	err := os.Rename(path, to)
	if err == nil {
		s.Say("%s is renamed to %s", path, filepath.Base(to))
	}
	return err
}

// complete adds to kept the rings that it does not have, from the copy where that has
// them, and writes the files that differ from it.
func (s Secrets) complete(kept, second map[string]string, begins bool) error {
	before := maps.Clone(kept)
	for _, ring := range rings {
		if kept[ring.name] == "" {
			kept[ring.name] = cmp.Or(second[ring.name], "first:"+cmp.Or(kept[ring.before], rand.Text()+rand.Text()))
		}
		delete(kept, ring.before)
	}
	data, err := json.MarshalIndent(kept, "", "  ")
	if err != nil {
		return err
	}
	for _, name := range []string{CopyFile, SecretsFile} { // the copy first: with it alone nothing is lost
		path := filepath.Join(s.Dir, name)
		stored, err := readSecrets(path)
		if err == nil && maps.Equal(stored, kept) {
			continue
		}
		if err == nil && !related(stored, kept) {
			if err := s.setAside(path); err != nil {
				return err
			}
			s.Say("%s had none of the guest keys of %s; if guest tokens are refused now, the renamed file may be the right one: put it back as both files", name, SecretsFile)
		}
		if err := Keep(path, data); err != nil {
			return fmt.Errorf("secrets of the data folder: %w", err)
		}
	}
	if len(before) == 0 && !begins {
		s.Say("new secrets were made: guest tokens, feed links and sessions of before are not valid any more")
	}
	return nil
}

// related reports whether two files have a key of guests in common, as they have
// during a rotation.
func related(a, b map[string]string) bool {
	secrets := map[string]bool{}
	for entry := range strings.SplitSeq(a[rings[0].name], ",") {
		_, secret, _ := strings.Cut(entry, ":")
		secrets[strings.TrimSpace(secret)] = true
	}
	for entry := range strings.SplitSeq(b[rings[0].name], ",") {
		if _, secret, _ := strings.Cut(entry, ":"); secrets[strings.TrimSpace(secret)] {
			return true
		}
	}
	return false
}

// OperatorToken returns the operator's token that is kept in dir. The first call
// makes one that nobody can guess.
func OperatorToken(dir string) (string, error) { return keptLine(dir, TokenFile, rand.Text) }

// ReceivingAddress returns the address that is kept in dir and takes the test money.
// It is random, so that no wallet can spend from it.
func ReceivingAddress(dir string) (string, error) {
	return keptLine(dir, ReceiverFile, func() string {
		b := make([]byte, 20)
		rand.Read(b)
		address, _ := x402.ParseAddress("0x" + hex.EncodeToString(b))
		return address
	})
}

// keptLine returns the line that a file of dir holds. The first call creates it.
func keptLine(dir, file string, create func() string) (string, error) {
	path := filepath.Join(dir, file)
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s of the data folder: %w", file, err)
	}
	if line := strings.TrimSpace(string(data)); line != "" {
		return line, nil
	}
	line := create()
	return line, Keep(path, []byte(line+"\n"))
}

// Files returns the files of a folder that belong together with its database, by
// their names: the secrets, of which one good copy is enough, and of the lines those
// that are there. The first start of a version makes the others.
func Files(dir string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, name := range []string{SecretsFile, CopyFile} {
		path := filepath.Join(dir, name)
		if _, err := readSecrets(path); err != nil {
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		files[SecretsFile] = data
		break
	}
	if files[SecretsFile] == nil {
		return nil, fmt.Errorf("%s and its copy cannot be used", filepath.Join(dir, SecretsFile))
	}
	for _, name := range []string{TokenFile, ReceiverFile, CatalogFile, VersionFile} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil {
			files[name] = data
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return files, nil
}
