package dump

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/rank"
	"miramundo.dev/shared/i18n"
)

// Names of the files of a dump.
const (
	Records  = "catalog.ndjson.gz"
	Channels = "channels.csv.gz"
	Streams  = "streams.csv.gz"
	Database = "catalog.sqlite.gz"
	Sums     = "SHA256SUMS"
)

const (
	gzipType = "application/gzip"
	sumsType = "text/plain; charset=utf-8"
)

// A content is a file with its bytes.
type content struct {
	File
	data []byte
}

// A format writes the records of a catalog to one file.
type format interface {
	add(*catalog.ChannelFull) error
	// finish returns the number of rows, after the last record.
	finish() (rows int, err error)
	// close frees what the format holds, also after a failure.
	close()
}

// files writes the channels that v shows to every file of a dump, and returns the
// files. Temporary files are made in dir.
func files(ctx context.Context, v *index.View, dir string) ([]content, error) {
	work, err := os.MkdirTemp(dir, "dump")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(work) }()
	var all []*writer
	defer func() {
		for _, w := range all {
			w.format.close()
		}
	}()
	for _, of := range formats {
		w, err := open(ctx, of.name, work, of.open)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", of.name, err)
		}
		all = append(all, w)
	}
	for _, r := range v.Index().Records() {
		channel, shown := v.Channel(r.ID, int(i18n.EN), rank.Caller{})
		if !shown {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		channel.Social = nil // differs by caller
		for _, w := range all {
			if err := w.format.add(channel); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", w.name, channel.ID, err)
			}
		}
	}
	return finish(all)
}

// formats are the files that are written from the records.
var formats = []struct {
	name string
	open func(ctx context.Context, work string, out io.Writer) (format, error)
}{
	{Records, openRecords},
	{Channels, openChannels},
	{Streams, openStreams},
	{Database, openDatabase},
}

// A writer is one file while it is written.
type writer struct {
	name    string
	out     *bytes.Buffer
	packing *gzip.Writer
	format  format
}

func open(ctx context.Context, name, work string, of func(context.Context, string, io.Writer) (format, error)) (*writer, error) {
	w := &writer{name: name, out: new(bytes.Buffer)}
	w.packing = gzip.NewWriter(w.out)
	var err error
	w.format, err = of(ctx, work, w.packing)
	return w, err
}

// finish ends the files, and adds the one with their checksums.
func finish(all []*writer) ([]content, error) {
	var out []content
	var sums strings.Builder
	for _, w := range all {
		rows, err := w.format.finish()
		if err == nil {
			err = w.packing.Close()
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.name, err)
		}
		c := contentOf(w.name, gzipType, w.out.Bytes())
		c.Rows = &rows
		out = append(out, c)
		fmt.Fprintf(&sums, "%s  %s\n", c.SHA256, c.Name)
	}
	return append(out, contentOf(Sums, sumsType, []byte(sums.String()))), nil
}

func contentOf(name, mediaType string, data []byte) content {
	sum := sha256.Sum256(data)
	return content{File{Name: name, MediaType: mediaType, Bytes: len(data), SHA256: hex.EncodeToString(sum[:])}, data}
}

// records writes each channel as its detail record, one JSON object a line.
type records struct {
	to   *json.Encoder
	rows int
}

func openRecords(_ context.Context, _ string, out io.Writer) (format, error) {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	return &records{to: e}, nil
}

func (r *records) add(c *catalog.ChannelFull) error {
	r.rows++
	return r.to.Encode(c)
}

func (r *records) finish() (int, error) { return r.rows, nil }

func (*records) close() {}

// A table writes rows of texts as CSV.
type table struct {
	to   *csv.Writer
	of   func(*catalog.ChannelFull) [][]string
	rows int
}

func openChannels(_ context.Context, _ string, out io.Writer) (format, error) {
	return newTable(out, names(channelColumns), func(c *catalog.ChannelFull) [][]string { return [][]string{row(channelColumns, c)} })
}

func openStreams(_ context.Context, _ string, out io.Writer) (format, error) {
	return newTable(out, names(streamColumns), func(c *catalog.ChannelFull) (rows [][]string) {
		for i := range c.Streams {
			rows = append(rows, row(streamColumns, &stream{c.ID, &c.Streams[i]}))
		}
		return rows
	})
}

func newTable(out io.Writer, header []string, of func(*catalog.ChannelFull) [][]string) (format, error) {
	t := &table{to: csv.NewWriter(out), of: of}
	return t, t.to.Write(header)
}

func (t *table) add(c *catalog.ChannelFull) error {
	for _, cells := range t.of(c) {
		t.rows++
		for i := range cells {
			cells[i] = asText(cells[i])
		}
		if err := t.to.Write(cells); err != nil {
			return err
		}
	}
	return nil
}

func (t *table) finish() (int, error) {
	t.to.Flush()
	return t.rows, t.to.Error()
}

func (*table) close() {}

// asText returns a cell that spreadsheet programs show as text: one that begins like a
// formula, which a hostile name may do, gets an apostrophe in front. Numbers stay.
func asText(cell string) string {
	if cell == "" || !strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
		return cell
	}
	if _, err := strconv.ParseFloat(cell, 64); err == nil {
		return cell
	}
	return "'" + cell
}
