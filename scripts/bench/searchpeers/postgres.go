package searchpeers

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"miramundo.dev/shared/catalog/index"
)

// ErrNotInstalled is returned for a peer whose program this machine does not have. It
// says how to install it.
var ErrNotInstalled = errors.New("not installed")

// postgresPrograms is where Debian installs the programs of each version.
const postgresPrograms = "/usr/lib/postgresql/*/bin"

// postgresSchema has the words of a record as they are copied, a list, in a table of
// its own; postgresFinish makes vectors of them.
const postgresSchema = `
CREATE UNLOGGED TABLE loaded (id INT, kind INT, playable INT, guide INT, online INT, country TEXT, network TEXT, subdivision TEXT,
	city TEXT, votes INT, score INT, renown INT, item BYTEA, words TEXT[]);
CREATE UNLOGGED TABLE v (class TEXT, value TEXT, doc INT);
CREATE UNLOGGED TABLE c (doc INT, category TEXT);`

const postgresFinish = `
CREATE UNLOGGED TABLE d AS SELECT id, kind, playable, guide, online, country, network, subdivision, city, votes, score, renown, item,
	array_to_tsvector(words) AS words FROM loaded ORDER BY id;
DROP TABLE loaded; ALTER TABLE d ADD PRIMARY KEY (id);`

const postgresIndexes = `
CREATE INDEX d_words ON d USING gin (words) WITH (fastupdate = off);
CREATE INDEX v_value ON v (class, value, doc); CREATE INDEX c_doc ON c (doc, category);
VACUUM (ANALYZE) d; VACUUM (ANALYZE) v; VACUUM (ANALYZE) c`

// Postgres writes the records of v into a new cluster in dir, whose server runs until
// the peer is closed and listens on a socket in dir alone. dir must not exist, in a
// folder that every user may enter: the server refuses to run as root, and then runs as
// the user postgres.
func Postgres(ctx context.Context, dir string, v *index.View) (Peer, error) {
	server, err := startPostgres(ctx, dir)
	if err != nil {
		return nil, err
	}
	config, err := pgx.ParseConfig("host=" + dir + " user=" + postgresUser + " dbname=postgres")
	if err != nil {
		return nil, errors.Join(err, server.stop())
	}
	db := stdlib.OpenDB(*config)
	db.SetMaxOpenConns(1)
	d := &database{
		name: "PostgreSQL " + server.version, db: db, dollars: true, stop: server.stop, match: "words @@ CAST(? AS tsquery)",
		terms: func(words []string) string {
			for i, w := range words {
				words[i] = "'" + strings.NewReplacer(`\`, `\\`, "'", "''").Replace(w) + "':*"
			}
			return strings.Join(words, " & ")
		},
	}
	if err := server.await(ctx, db); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	if err := fillPostgres(ctx, db, v); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

const postgresUser = "postgres"

// A postgresServer is a running server.
type postgresServer struct {
	version string
	cmd     *exec.Cmd
	stderr  *bytes.Buffer
	ended   chan struct{}
}

func startPostgres(ctx context.Context, dir string) (*postgresServer, error) {
	folders, err := filepath.Glob(postgresPrograms)
	if err != nil {
		return nil, err
	}
	if len(folders) == 0 {
		return nil, fmt.Errorf("PostgreSQL is %w: apt-get install postgresql installs it", ErrNotInstalled)
	}
	programs := slices.MaxFunc(folders, func(a, b string) int { return cmp.Compare(majorOf(a), majorOf(b)) })
	run, err := unprivileged()
	if err != nil {
		return nil, err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	if run.Credential != nil {
		if err := os.Chown(dir, int(run.Credential.Uid), int(run.Credential.Gid)); err != nil {
			return nil, err
		}
	}
	data := filepath.Join(dir, "data")
	initdb := exec.CommandContext(ctx, filepath.Join(programs, "initdb"), "-D", data, "-U", postgresUser, "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
	initdb.Dir, initdb.SysProcAttr = dir, run
	if out, err := initdb.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w: %s", err, out)
	}
	s := &postgresServer{version: strconv.Itoa(majorOf(programs)), stderr: new(bytes.Buffer), ended: make(chan struct{})}
	s.cmd = exec.Command(filepath.Join(programs, "postgres"), "-D", data, "-k", dir, "-c", "listen_addresses=", "-c", "fsync=off",
		"-c", "shared_buffers=1GB", "-c", "work_mem=64MB", "-c", "maintenance_work_mem=512MB", "-c", "max_wal_size=4GB", "-c", "autovacuum=off")
	s.cmd.Dir, s.cmd.SysProcAttr, s.cmd.Stderr = dir, run, s.stderr
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = s.cmd.Wait() // await and stop see its end
		close(s.ended)
	}()
	return s, nil
}

// majorOf returns the version of the programs in a folder.
func majorOf(folder string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(folder))) // another name is older than any version
	return n
}

// unprivileged returns the attributes of a process that is not root's.
func unprivileged() (*syscall.SysProcAttr, error) {
	if os.Getuid() != 0 {
		return &syscall.SysProcAttr{}, nil
	}
	u, err := user.Lookup(postgresUser)
	if err != nil {
		return nil, err
	}
	uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
	gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, errors.Join(err1, err2)
}

// await waits until the server answers.
func (s *postgresServer) await(ctx context.Context, db *sql.DB) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := db.PingContext(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("PostgreSQL does not answer: %w", err)
		case <-s.ended:
			return fmt.Errorf("PostgreSQL ended: %s", s.stderr)
		case <-tick.C:
		}
	}
}

// stop ends the server, which closes its connections.
func (s *postgresServer) stop() error {
	if err := s.cmd.Process.Signal(syscall.SIGINT); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-s.ended
	return nil
}

func fillPostgres(ctx context.Context, db *sql.DB, v *index.View) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // it goes back to the pool
	return conn.Raw(func(driver any) error {
		c := driver.(*stdlib.Conn).Conn()
		if _, err := c.Exec(ctx, postgresSchema); err != nil {
			return err
		}
		in := &copier{ctx: ctx, conn: c}
		if err := errors.Join(rows(v, in.add), in.flush()); err != nil {
			return err
		}
		for statement := range strings.SplitSeq(postgresFinish+columnIndexes+postgresIndexes, ";") {
			if _, err := c.Exec(ctx, statement); err != nil {
				return fmt.Errorf("%s: %w", strings.TrimSpace(statement), err)
			}
		}
		return nil
	})
}

// batch is how many records are copied at once.
const batch = 5000

// A copier copies rows into the tables, some at a time.
type copier struct {
	ctx                         context.Context
	conn                        *pgx.Conn
	records, values, categories [][]any
}

func (in *copier) add(r *row) error {
	in.records = append(in.records, []any{
		r.id, r.kind, r.playable, r.guide, r.online, r.country, r.network, r.subdivision, r.city, r.votes, r.score, r.renown, r.item, strings.Fields(r.words),
	})
	for class, values := range r.values {
		for _, value := range unique(values) {
			in.values = append(in.values, []any{class, value, r.id})
		}
	}
	for _, k := range unique(r.values["category"]) {
		in.categories = append(in.categories, []any{r.id, k})
	}
	if len(in.records) < batch {
		return nil
	}
	return in.flush()
}

// unique returns the different values of list in their order.
func unique(list []string) []string { return slices.Compact(slices.Sorted(slices.Values(list))) }

// flush copies the rows that were added since the last time.
func (in *copier) flush() error {
	for _, t := range []struct {
		name    string
		columns []string
		rows    *[][]any
	}{
		{"loaded", []string{"id", "kind", "playable", "guide", "online", "country", "network", "subdivision", "city", "votes", "score", "renown", "item", "words"}, &in.records},
		{"v", []string{"class", "value", "doc"}, &in.values},
		{"c", []string{"doc", "category"}, &in.categories},
	} {
		if _, err := in.conn.CopyFrom(in.ctx, pgx.Identifier{t.name}, t.columns, pgx.CopyFromRows(*t.rows)); err != nil {
			return err
		}
		*t.rows = (*t.rows)[:0]
	}
	return nil
}
