package sqlite_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded/sqlite"
)

// suffixes name the files of a database that was killed.
var suffixes = []string{"", "-wal", "-mark"}

// killed returns the path of a database that a killed process leaves behind: the last
// of its commits are in the log alone. It has n numbers, all of them 1.
func killed(t *testing.T, n int) string {
	t.Helper()
	f := table(t)
	for range n {
		if err := f.Write(t.Context(), exec("INSERT INTO n VALUES (1)")); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "db")
	for _, suffix := range suffixes {
		copyFile(t, f.Path()+suffix, path+suffix)
	}
	return path
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	body, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	write(t, to, body)
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

// TestFilesThatDoNotBelongTogether opens what is left of a database after one of its
// files was lost or exchanged. Open names the problem and changes nothing; once the
// operator accepts it, the database opens with what it has, and no file is gone.
func TestFilesThatDoNotBelongTogether(t *testing.T) {
	for _, test := range []struct {
		name    string
		change  func(t *testing.T, path string)
		problem string
		kept    int // numbers, once the loss is accepted
	}{
		{"the log is deleted", func(t *testing.T, path string) { remove(t, path+"-wal") }, "acknowledged commits are missing", -1},
		{"the log is empty", func(t *testing.T, path string) { write(t, path+"-wal", nil) }, "acknowledged commits are missing", -1},
		{"the log is garbage", func(t *testing.T, path string) {
			write(t, path+"-wal", bytes.Repeat([]byte{0x5a}, 50_000))
		}, "acknowledged commits are missing", -1},
		{"the log is cut off", func(t *testing.T, path string) {
			body, err := os.ReadFile(path + "-wal")
			if err != nil {
				t.Fatal(err)
			}
			write(t, path+"-wal", body[:len(body)-1])
		}, "1 acknowledged commits are missing", 4},
		{"the database alone was copied", func(t *testing.T, path string) {
			remove(t, path+"-wal")
			remove(t, path+"-mark")
		}, "copied while it was in use", -1},
		{"the log of another database", func(t *testing.T, path string) { copyFile(t, killed(t, 9)+"-wal", path+"-wal") }, "is of another database", -1},
		{"an older log", func(t *testing.T, path string) {
			copyFile(t, path+"-wal", path+"-old")
			f := open(t, path)
			if err := errors.Join(f.Write(t.Context(), exec("INSERT INTO n VALUES (1)")), f.Close()); err != nil {
				t.Fatal(err)
			}
			copyFile(t, path+"-old", path+"-wal")
			remove(t, path+"-old")
		}, "is older than the database", 6},
		{"an older database", func(t *testing.T, path string) {
			copyFile(t, path, path+"-old")
			sqliteShut(t, path)
			copyFile(t, path+"-old", path)
			remove(t, path+"-old")
		}, "acknowledged commits are missing", -1},
		{"another database", func(t *testing.T, path string) {
			other := killed(t, 9)
			sqliteShut(t, other)
			copyFile(t, other, path)
			remove(t, path+"-wal")
		}, "not the database that this folder was used with", 9},
		{"the mark of another database", func(t *testing.T, path string) { copyFile(t, killed(t, 9)+"-mark", path+"-mark") }, "not the database that this folder was used with", 5},
		{"no database", func(t *testing.T, path string) { remove(t, path) }, "missing or empty", -1},
		{"an empty database", func(t *testing.T, path string) { write(t, path, nil) }, "missing or empty", -1},
		{"the log alone", func(t *testing.T, path string) { remove(t, path); remove(t, path+"-mark") }, "missing or empty", -1},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := killed(t, 5)
			test.change(t, path)
			before := contents(t, path)
			_, err := sqlite.Open(path)
			var damage *sqlite.Damage
			if !errors.As(err, &damage) || damage.Path != path || !strings.Contains(err.Error(), test.problem) {
				t.Fatalf("Open = %v, want a Damage of %s that says %q", err, path, test.problem)
			}
			if after := contents(t, path); before != after {
				t.Errorf("Open changed the files from\n%s\nto\n%s", before, after)
			}
			if _, err := sqlite.AcceptLoss(path, time.Unix(0, 0)); err != nil {
				t.Fatal(err)
			}
			f := open(t, path)
			if got := numbers(t, f); got != test.kept {
				t.Errorf("%d numbers are left, want %d", got, test.kept)
			}
			if err := f.Write(t.Context(), exec("CREATE TABLE after (a)")); err != nil {
				t.Errorf("Write after the loss was accepted = %v", err)
			}
		})
	}
}

// sqliteShut moves what the log has into the database, as another program does that
// opens and closes it.
func sqliteShut(t *testing.T, path string) {
	t.Helper()
	if err := raw(t, path, "SELECT count(*) FROM sqlite_schema").Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path + "-wal"); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("the log is still there: %v", err)
	}
}

// contents describes the files of a database by their ends.
func contents(t *testing.T, path string) string {
	t.Helper()
	var all strings.Builder
	for _, suffix := range suffixes {
		body, err := os.ReadFile(path + suffix)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		all.WriteString(suffix + "=" + string(body[:min(len(body), 100)]) + string(body[max(0, len(body)-100):]) + "\n")
	}
	return all.String()
}

// numbers returns how many numbers the table has; -1 without the table.
func numbers(t *testing.T, f *sqlite.File) (n int) {
	t.Helper()
	err := f.Scan(t.Context(), "SELECT count(*) FROM sqlite_schema WHERE name = 'n'", nil, &n)
	if err == nil && n == 0 {
		return -1
	}
	if err == nil {
		err = f.Scan(t.Context(), "SELECT count(*) FROM n", nil, &n)
	}
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestFilesThatBelongTogether opens what is left in ways that lose nothing: no alarm
// is raised, and everything is there.
func TestFilesThatBelongTogether(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(t *testing.T, path string)
	}{
		{"after a kill", func(*testing.T, string) {}},
		{"after a kill, without the mark", func(t *testing.T, path string) { remove(t, path+"-mark") }},
		{"after a kill, with a damaged mark", func(t *testing.T, path string) { write(t, path+"-mark", []byte("commits:")) }},
		{"another program moved the log", func(t *testing.T, path string) { sqliteShut(t, path) }},
		{"copied after it was closed", func(t *testing.T, path string) {
			if err := open(t, path).Close(); err != nil {
				t.Fatal(err)
			}
			remove(t, path+"-mark")
		}},
		{"of a version without marks", func(t *testing.T, path string) {
			raw(t, path, "DROP TABLE commits").Close()
			remove(t, path+"-mark")
		}},
		{"the file of a mark is behind, as after a power failure", func(t *testing.T, path string) {
			body, err := os.ReadFile(path + "-mark")
			if err != nil {
				t.Fatal(err)
			}
			write(t, path+"-mark", append(body[:len(body)-3], "00\n"...))
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := killed(t, 5)
			test.change(t, path)
			if got := numbers(t, open(t, path)); got != 5 {
				t.Errorf("%d numbers are there, want 5", got)
			}
		})
	}
}

// TestVanished deletes and replaces the files of a database while it is open. No
// write is acknowledged any more, reads go on, and a copy has all that was
// acknowledged before.
func TestVanished(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(t *testing.T, path string)
		file   string // that the problem names
	}{
		{"deleted", func(t *testing.T, path string) { remove(t, path) }, "db"},
		{"replaced", func(t *testing.T, path string) {
			write(t, path+"-new", []byte("another"))
			if err := os.Rename(path+"-new", path); err != nil {
				t.Fatal(err)
			}
		}, "db"},
		{"without its log", func(t *testing.T, path string) { remove(t, path+"-wal") }, "db-wal"},
		{"with its folder", func(t *testing.T, path string) {
			if err := os.RemoveAll(filepath.Dir(path)); err != nil {
				t.Fatal(err)
			}
		}, "db"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := table(t)
			insert := exec("INSERT INTO n VALUES (1)")
			if err := f.Write(t.Context(), insert); err != nil {
				t.Fatal(err)
			}
			if err := f.Problem(); err != nil {
				t.Fatalf("Problem = %v before anything happened", err)
			}
			test.change(t, f.Path())
			var vanished *sqlite.Vanished
			if err := f.Write(t.Context(), insert); !errors.Is(err, store.ErrReadOnly) || !errors.As(err, &vanished) {
				t.Errorf("Write = %v, want %v because of a Vanished", err, store.ErrReadOnly)
			}
			if err := f.Problem(); !errors.As(err, &vanished) || !strings.HasPrefix(filepath.Base(vanished.Path), test.file) {
				t.Errorf("Problem = %v, want one of %s", err, test.file)
			}
			if got := sum(t, f); got < 1 {
				t.Errorf("a read finds %d", got)
			}
			to := filepath.Join(t.TempDir(), "copy")
			if err := f.CopyInto(t.Context(), to); err != nil {
				t.Fatal(err)
			}
			if got := sum(t, open(t, to)); got < 1 {
				t.Errorf("the copy has %d", got)
			}
		})
	}
}

// TestProblemEnds checks that a file which could not be written reports so until it
// can be, without a write of anybody.
func TestProblemEnds(t *testing.T) {
	f := table(t)
	err := f.Write(t.Context(), func(tx *sqlite.Tx) error {
		return errors.Join(exec("PRAGMA max_page_count = 1")(tx), exec("INSERT INTO n VALUES (zeroblob(100000))")(tx))
	})
	if !errors.Is(err, store.ErrFull) || !errors.Is(f.Problem(), store.ErrFull) {
		t.Fatalf("Write = %v, and Problem = %v, want %v", err, f.Problem(), store.ErrFull)
	}
	deadline := time.After(30 * time.Second)
	for f.Problem() != nil {
		select {
		case <-deadline:
			t.Fatal("Problem does not end")
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// TestCopyInto copies while writers write: the copy has all that was acknowledged
// before, is whole, and is for its owner alone.
func TestCopyInto(t *testing.T) {
	f := table(t)
	stop := make(chan struct{})
	done := make(chan error)
	var before int
	go func() {
		for {
			select {
			case <-stop:
				done <- nil
				return
			default:
				if err := f.Write(t.Context(), exec("INSERT INTO n VALUES (1)")); err != nil {
					done <- err
					return
				}
			}
		}
	}()
	for before < 20 {
		before = sum(t, f)
	}
	to := filepath.Join(t.TempDir(), "copy")
	if err := f.CopyInto(t.Context(), to); err != nil {
		t.Fatal(err)
	}
	close(stop)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(to); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the copy is %v, %v, want mode 0600", info, err)
	}
	if _, err := os.Stat(to + "-wal"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the copy has a log: %v", err)
	}
	if got, after := sum(t, open(t, to)), sum(t, f); got < before || got > after {
		t.Errorf("the copy has %d numbers, want %d to %d", got, before, after)
	}
	if err := f.CopyInto(t.Context(), to); err == nil {
		t.Error("CopyInto overwrites a file")
	}
}

// TestCopyFileOfEarlierVersion copies a database that has no mark, as an operator does
// before the first start of a new version.
func TestCopyFileOfEarlierVersion(t *testing.T) {
	path := killed(t, 5)
	sqliteShut(t, path)
	remove(t, path+"-mark")
	if err := raw(t, path, "DROP TABLE commits").Close(); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "copy")
	if err := sqlite.CopyFile(t.Context(), path, to); err != nil {
		t.Fatal(err)
	}
	c, err := sqlite.Verify(t.Context(), to)
	if err != nil || c.Rows["n"] != 5 {
		t.Errorf("Verify = %+v, %v, want 5 numbers", c, err)
	}
	if got := numbers(t, open(t, to)); got != 5 {
		t.Errorf("the copy has %d numbers, want 5", got)
	}
}
