package sqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"miramundo.dev/shared/store/embedded/sqlite"
)

func open(t testing.TB, path string) *sqlite.File {
	t.Helper()
	f, err := sqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// table opens a new file with the table n, of one number each.
func table(t testing.TB) *sqlite.File {
	t.Helper()
	f := open(t, filepath.Join(t.TempDir(), "db"))
	if err := f.Write(t.Context(), exec("CREATE TABLE n (n INTEGER)")); err != nil {
		t.Fatal(err)
	}
	return f
}

func exec(query string, args ...any) func(*sqlite.Tx) error {
	return func(tx *sqlite.Tx) error {
		_, err := tx.Exec(query, args...)
		return err
	}
}

func sum(t *testing.T, f *sqlite.File) (n int) {
	t.Helper()
	if err := f.Scan(t.Context(), "SELECT total(n) FROM n", nil, &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// raw opens a file as another program does.
func raw(t *testing.T, path string, statements ...string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

// TestOpenRefuses opens files that are not databases of ours: the message
// says why.
func TestOpenRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(t *testing.T, path string)
		want    string
	}{
		"garbage": {func(t *testing.T, path string) { write(t, path, bytes.Repeat([]byte("garbage"), 1000)) }, "damaged"},
		"half a header": {func(t *testing.T, path string) {
			raw(t, path, "CREATE TABLE x (x)").Close()
			body, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			write(t, path, append([]byte("SQLite"), body[10:]...))
		}, "damaged"},
		"another program's": {func(t *testing.T, path string) { raw(t, path, "CREATE TABLE x (x)") }, "another program"},
		"too new": {func(t *testing.T, path string) {
			open(t, path).Close()
			raw(t, path, "PRAGMA user_version = 99").Close()
		}, "format 99"},
		"locked": {func(t *testing.T, path string) {
			open(t, path).Close()
			raw(t, path, "BEGIN IMMEDIATE")
		}, "locked"},
		"a folder": {func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}, "cannot be opened"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "db")
			c.prepare(t, path)
			f, err := sqlite.Open(path)
			if err == nil {
				f.Close()
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
				t.Errorf("Open = %v, want an error that names the file and says %q", err, c.want)
			}
		})
	}
	if _, err := sqlite.Open(filepath.Join(t.TempDir(), "none", "db")); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("Open in a missing folder = %v", err)
	}
}

func write(t *testing.T, path string, body []byte) {
	t.Helper()
	if err := os.WriteFile(path, body, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestDamaged overwrites all pages but the first: the file is not opened.
func TestDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	f := open(t, path)
	err := f.Write(t.Context(), func(tx *sqlite.Tx) error {
		return errors.Join(exec("CREATE TABLE n (n)")(tx), exec("INSERT INTO n VALUES (zeroblob(200000))")(tx),
			exec("INSERT INTO n SELECT value FROM json_each(?)", "["+strings.Repeat("1,", 5000)+"1]")(tx))
	})
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 4096; i < len(body); i++ {
		body[i] = 0x5a
	}
	write(t, path, body)
	var damage *sqlite.Damage
	if _, err := sqlite.Open(path); !errors.As(err, &damage) || damage.Path != path {
		t.Errorf("Open of a damaged file = %v, want a Damage that names it", err)
	}
}

func TestStrangeNames(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b?x=1&_pragma=y#%20é")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "db%?#")
	open(t, path)
	if _, err := os.Stat(path); err != nil {
		t.Errorf("the file is not where it was asked for: %v", err)
	}
}

// TestWriters has many concurrent writers, some of which fail in every
// possible way: exactly the writes of the others are stored.
func TestWriters(t *testing.T) {
	f := table(t)
	stop := errors.New("stop")
	const each = 40
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range each {
				err := f.Write(t.Context(), exec("INSERT INTO n VALUES (1)"))
				if err != nil {
					t.Errorf("Write = %v", err)
				}
				fail(t, f, i+j, stop)
			}
		})
	}
	wg.Wait()
	if got := sum(t, f); got != 8*each {
		t.Errorf("%d writes are kept, want %d", got, 8*each)
	}
}

// fail makes a write that is not kept.
func fail(t *testing.T, f *sqlite.File, way int, stop error) {
	insert := exec("INSERT INTO n VALUES (1000000)")
	switch way % 4 {
	case 0:
		err := f.Write(t.Context(), func(tx *sqlite.Tx) error { return errors.Join(insert(tx), stop) })
		if !errors.Is(err, stop) {
			t.Errorf("Write = %v, want %v", err, stop)
		}
	case 1:
		defer func() {
			if r := recover(); r != "panic" {
				t.Errorf("Write panics with %v, want its function's value", r)
			}
		}()
		_ = f.Write(t.Context(), func(tx *sqlite.Tx) error {
			_ = insert(tx)
			panic("panic")
		})
	case 2:
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = f.Write(t.Context(), func(tx *sqlite.Tx) error {
				_ = insert(tx)
				runtime.Goexit()
				return nil
			})
		}()
		<-done
	case 3:
		err := f.Write(t.Context(), func(tx *sqlite.Tx) error {
			return errors.Join(insert(tx), exec("INSERT INTO none VALUES (1)")(tx))
		})
		if err == nil {
			t.Error("Write to no table = nil")
		}
	}
}

// TestWriteWaits has a writer wait for its turn: it can give up, and it is
// refused when the file closes.
func TestWriteWaits(t *testing.T) {
	f := table(t)
	inside, release := make(chan struct{}), make(chan struct{})
	first := make(chan error)
	go func() {
		first <- f.Write(context.WithoutCancel(t.Context()), func(tx *sqlite.Tx) error {
			close(inside)
			<-release
			return exec("INSERT INTO n VALUES (1)")(tx)
		})
	}()
	<-inside
	ctx, cancel := context.WithCancel(t.Context())
	given := make(chan error)
	go func() { given <- f.Write(ctx, exec("INSERT INTO n VALUES (2)")) }()
	cancel()
	if err := <-given; !errors.Is(err, context.Canceled) {
		t.Errorf("Write given up = %v", err)
	}
	closed := make(chan error)
	go func() { closed <- f.Close() }()
	late := make(chan error)
	go func() { late <- f.Write(t.Context(), exec("INSERT INTO n VALUES (3)")) }()
	// Whether it waits already or comes later, the late writer is turned away,
	// unless it was before Close.
	close(release)
	if err := errors.Join(<-first, <-closed); err != nil {
		t.Errorf("the write under way, and Close = %v", err)
	}
	if err := <-late; err != nil && !errors.Is(err, sqlite.ErrClosed) {
		t.Errorf("Write on a closed file = %v, want ErrClosed", err)
	}
	if err := f.Write(t.Context(), exec("INSERT INTO n VALUES (4)")); !errors.Is(err, sqlite.ErrClosed) {
		t.Errorf("Write on a closed file = %v, want ErrClosed", err)
	}
}

// TestAfter checks that functions passed to After run after the commit, and
// only then.
func TestAfter(t *testing.T) {
	f := table(t)
	var ran []string
	note := func(name string, err error) {
		_ = f.Write(t.Context(), func(tx *sqlite.Tx) error {
			tx.After(func() { ran = append(ran, name) })
			return err
		})
	}
	note("kept", nil)
	note("failed", errors.New("stop"))
	if fmt.Sprint(ran) != "[kept]" {
		t.Errorf("ran after commits: %q", ran)
	}
}

// TestTwoFiles opens one file twice, as two processes do, and writes through
// both.
func TestTwoFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	ours, theirs := open(t, path), open(t, path)
	if err := ours.Write(t.Context(), exec("CREATE TABLE n (n INTEGER)")); err != nil {
		t.Fatal(err)
	}
	before, err := ours.Version(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for _, f := range []*sqlite.File{ours, theirs} {
		wg.Go(func() {
			for range 50 {
				if err := f.Write(t.Context(), exec("INSERT INTO n VALUES (1)")); err != nil {
					t.Errorf("Write = %v", err)
				}
			}
		})
	}
	wg.Wait()
	if got := sum(t, ours); got != 100 {
		t.Errorf("%d writes are kept, want 100", got)
	}
	if after, err := ours.Version(t.Context()); err != nil || after == before {
		t.Errorf("Version = %d, %v, as before the writes", after, err)
	}
}

// TestLogBounded checks that the write-ahead log does not grow with the
// number of writes.
func TestLogBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	f := open(t, path)
	if err := f.Write(t.Context(), exec("CREATE TABLE b (b)")); err != nil {
		t.Fatal(err)
	}
	const size, n = 1 << 20, 40
	for range n {
		if err := f.Write(t.Context(), exec("INSERT INTO b VALUES (?)", make([]byte, size))); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(path + "-wal")
	if err != nil || info.Size() > n*size/4 {
		t.Errorf("the log has %d bytes after %d were written, %v", info.Size(), n*size, err)
	}
}

// TestDurable checks the settings that keep a commit through a power failure,
// which no test here can cause.
func TestDurable(t *testing.T) {
	f := table(t)
	var mode string
	var synchronous int
	err := errors.Join(
		f.Scan(t.Context(), "PRAGMA journal_mode", nil, &mode),
		f.Write(t.Context(), func(tx *sqlite.Tx) error { return tx.QueryRow("PRAGMA synchronous").Scan(&synchronous) }))
	if err != nil || mode != "wal" || synchronous != 2 {
		t.Errorf("journal %s, synchronous %d, %v, want wal and 2 (full)", mode, synchronous, err)
	}
}

func TestShare(t *testing.T) {
	f := table(t)
	other := f.Share()
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := other.Write(t.Context(), exec("INSERT INTO n VALUES (1)")); err != nil {
		t.Errorf("Write after one of two users has closed = %v", err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if err := other.Write(t.Context(), exec("INSERT INTO n VALUES (1)")); !errors.Is(err, sqlite.ErrClosed) {
		t.Errorf("Write after both have closed = %v, want ErrClosed", err)
	}
}

func BenchmarkWrite(b *testing.B) {
	f := table(b)
	for b.Loop() {
		if err := f.Write(b.Context(), exec("INSERT INTO n VALUES (1)")); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWriteParallel(b *testing.B) {
	f := table(b)
	b.SetParallelism(16)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := f.Write(b.Context(), exec("INSERT INTO n VALUES (1)")); err != nil {
				b.Error(err)
			}
		}
	})
}
