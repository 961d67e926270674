package sqlite_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded/sqlite"
)

// smallDisk mounts a disk of 4 MiB in memory. Without the right to mount, the test is
// skipped; TestOutages covers what SQLite reports then.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4m")
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) {
		t.Skip("mounting a small disk is not permitted here")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// zeros reads zeros without end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// fill writes a file until its disk is full.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := io.Copy(f, zeros{}); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk is not full: %v", err)
	}
}

// TestFullDisk fills the disk of a database that is in use. Writes fail with the
// reason and leave nothing behind, reads go on, and when there is space again the
// database takes writes by itself. What was acknowledged is there after a restart.
func TestFullDisk(t *testing.T) {
	path := filepath.Join(smallDisk(t), "db")
	f := open(t, path)
	insert := exec("INSERT INTO n VALUES (1)")
	if err := errors.Join(f.Write(t.Context(), exec("CREATE TABLE n (n INTEGER)")), f.Write(t.Context(), insert)); err != nil {
		t.Fatal(err)
	}
	acknowledged := 1
	for round := range 3 {
		fill(t, path+"-filler")
		for { // the log may have room from before
			err := f.Write(t.Context(), insert)
			if err == nil {
				acknowledged++
				continue
			}
			if !errors.Is(err, store.ErrFull) {
				t.Fatalf("round %d: Write = %v, want %v", round, err, store.ErrFull)
			}
			break
		}
		if err := f.Problem(); !errors.Is(err, store.ErrFull) {
			t.Errorf("round %d: Problem = %v, want %v", round, err, store.ErrFull)
		}
		if got := sum(t, f); got != acknowledged {
			t.Errorf("round %d: a read finds %d, want %d", round, got, acknowledged)
		}
		remove(t, path+"-filler")
		deadline := time.After(30 * time.Second)
		for f.Problem() != nil {
			select {
			case <-deadline:
				t.Fatalf("round %d: Problem = %v with space", round, f.Problem())
			case <-time.After(10 * time.Millisecond):
			}
		}
		if err := f.Write(t.Context(), insert); err != nil {
			t.Fatalf("round %d: Write with space = %v", round, err)
		}
		acknowledged++
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if got := sum(t, open(t, path)); got != acknowledged {
		t.Errorf("after a restart there are %d, want %d", got, acknowledged)
	}
}

// TestOpenOnFullDisk opens a database of a killed process while its disk is full: the
// error says so, and everything is there once there is space.
func TestOpenOnFullDisk(t *testing.T) {
	from, path := killed(t, 5), filepath.Join(smallDisk(t), "db")
	for _, suffix := range suffixes {
		copyFile(t, from+suffix, path+suffix)
	}
	fill(t, path+"-filler")
	f, err := sqlite.Open(path)
	if err == nil { // the log had room
		err = f.Close()
	}
	if err != nil && !errors.Is(err, store.ErrFull) {
		t.Errorf("Open = %v, want %v", err, store.ErrFull)
	}
	remove(t, path+"-filler")
	if got := sum(t, open(t, path)); got != 5 {
		t.Errorf("%d numbers are there, want 5", got)
	}
}

// TestReadOnlyDisk opens a database on a disk that was made read-only: the error
// says so.
func TestReadOnlyDisk(t *testing.T) {
	dir := smallDisk(t)
	path := filepath.Join(dir, "db")
	if err := open(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	f, err := sqlite.Open(path)
	if err == nil {
		f.Close()
	}
	if !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) {
		t.Errorf("Open = %v, want an error of a disk that cannot be written", err)
	}
}
