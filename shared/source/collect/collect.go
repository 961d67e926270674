// Package collect reads the current state of every source, and falls back to
// the last good state of a file that cannot be read.
//
// For each file it asks whether there is anything new, decodes it, and
// compares it with the last good state. A file that cannot be read
// completely, has no valid record, or has lost a large share of its records
// is refused: the last good body is decoded instead, and the File says why.
// Files do not affect each other. With [Documents] as its cache it stores
//
//	sources/{name}           the last good File of that name, with "_" for "/"
//	bodies/{name}-{sha256}   its body, decompressed and then compressed with zstd
package collect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"miramundo.dev/shared/origin"
	"miramundo.dev/shared/source"
	"miramundo.dev/shared/source/iptvorg"
	"miramundo.dev/shared/source/radiobrowser"
	"miramundo.dev/shared/source/sample"
)

// A Plan says which sources to read, and from where.
type Plan struct {
	IPTVOrg Place
	Radio   Place
	Extra   *source.Dataset // appended unchanged; may be nil

	// Accept names files whose fall in size is meant: they are taken however
	// few their records are, unless they have none.
	Accept []string
}

// A Place is where the files of an upstream are read from. The zero Place
// reads nothing.
type Place struct {
	Folder fs.FS  // in any layout that the upstream has; preferred to URL
	Name   string // the name of Folder in reports
	URL    string // the address that the files are below

	// Playlists are the addresses of iptv-org's streams when URL has the
	// tables of its database ("channels.csv") instead of the JSON layout.
	// That layout has no guides.
	Playlists []string

	// Live reads radio-browser from any of its servers that answers.
	Live bool

	// Origin is the publisher of the records, when that is not the upstream
	// whose layout they have.
	Origin string
}

// Folder returns the place of a folder on disk.
func Folder(dir string) Place { return Place{Folder: os.DirFS(dir), Name: dir} }

// At returns the place of a location: an address when it begins with http://
// or https://, and otherwise a folder.
func At(location string) Place {
	if strings.HasPrefix(location, "http://") || strings.HasPrefix(location, "https://") {
		return Place{URL: location}
	}
	return Folder(location)
}

// Sample returns the plan that reads the sample catalog of the repository.
func Sample() Plan {
	place := Place{Folder: sample.Folder(), Name: "the sample in the repository", Origin: "sample"}
	return Plan{IPTVOrg: place, Radio: place}
}

// Live returns the plan that reads what the upstreams serve today.
func Live() Plan {
	return Plan{IPTVOrg: Place{URL: iptvorg.Site}, Radio: Place{Live: true}}
}

// Options are the settings of Load. All may be zero.
type Options struct {
	Client   *origin.Client        // for requests; nil is a new client
	Resolver radiobrowser.Resolver // finds servers; nil is the system's resolver
	Cache    Cache                 // stores the last good files; nil stores nothing
	Now      func() time.Time      // nil is time.Now
	Progress func(p Progress)      // called for each file, possibly concurrently
	MinShare float64               // smallest share of its last records that a file may have; 0 is 0.7
	Timeout  time.Duration         // for one request; 0 is five minutes
	MaxBytes int64                 // of one file, decompressed; 0 is source.MaxBody
}

// Progress reports how far a file has been read.
type Progress struct {
	Name  string // of the file
	Bytes int64  // read so far
	Items int    // records understood; 0 before the end
	Done  bool
}

// Load reads all sources of a plan. A problem with a file is reported in the
// dataset's Files; the error is only ever that of ctx.
func Load(ctx context.Context, plan Plan, opts Options) (*source.Dataset, error) {
	c := &collector{plan: plan, opts: opts.orDefault()}
	jobs := c.jobs()
	parts := make([]source.Dataset, len(jobs))
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for i, j := range jobs {
		group.Go(func() error {
			c.collect(groupCtx, j, &parts[i])
			return groupCtx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	data := new(source.Dataset)
	for i := range parts {
		setOrigin(&parts[i], jobs[i].place.Origin)
		data.Append(&parts[i])
	}
	if plan.Extra != nil {
		data.Append(plan.Extra)
	}
	return data, nil
}

// setOrigin sets the publisher of the records in d, unless origin is empty.
func setOrigin(d *source.Dataset, origin string) {
	if origin == "" {
		return
	}
	for i := range d.Channels {
		d.Channels[i].Origin = origin
	}
	for i := range d.Streams {
		d.Streams[i].Origin = origin
	}
	for i := range d.Stations {
		d.Stations[i].Origin = origin
	}
}

// parallel is how many files are read at a time: few, since each holds its
// records and its compressed body in memory.
const parallel = 4

func (o Options) orDefault() Options {
	if o.Client == nil {
		o.Client = origin.New(origin.Options{})
	}
	if o.Resolver == nil {
		o.Resolver = net.DefaultResolver
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	o.Timeout = cmp.Or(o.Timeout, 5*time.Minute)
	o.MaxBytes = cmp.Or(o.MaxBytes, source.MaxBody)
	o.MinShare = cmp.Or(o.MinShare, 0.7)
	return o
}

// A collector reads the files of a plan.
type collector struct {
	plan Plan
	opts Options
}

// A job is one file to read.
type job struct {
	part    source.Part
	place   Place
	lastErr error // why the last good file is not known; nil when it is
}

// jobs returns the files of the plan, the largest first, so that none is left
// alone at the end.
func (c *collector) jobs() []job {
	var jobs []job
	if !c.plan.Radio.none() {
		jobs = append(jobs, job{part: radiobrowser.Part, place: c.plan.Radio})
	}
	if c.plan.IPTVOrg.none() {
		return jobs
	}
	for _, p := range iptvorg.Parts {
		if len(c.plan.IPTVOrg.Playlists) > 0 && c.plan.IPTVOrg.Folder == nil && p.Name == iptvorg.GuidesPart {
			continue
		}
		jobs = append(jobs, job{part: p, place: c.plan.IPTVOrg})
	}
	return jobs
}

func (p Place) none() bool { return p.Folder == nil && p.URL == "" && !p.Live }

// collect reads one file into d, or its last good body.
func (c *collector) collect(ctx context.Context, j job, d *source.Dataset) {
	last, err := c.last(ctx, j.part.Name)
	if err != nil {
		last = source.File{Name: j.part.Name}
	}
	if !errors.Is(err, ErrNothing) {
		j.lastErr = err
	}
	file, err := c.fresh(ctx, j, last, d)
	if err != nil {
		*d = source.Dataset{}
		file = c.useLast(ctx, j, last, d)
		file.Problem = Problem(err)
	}
	d.Files = []source.File{file}
	c.opts.Progress(Progress{Name: file.Name, Bytes: file.Bytes, Items: file.Items, Done: true})
}

// useLast decodes the last good body of a file into d, and returns its File.
func (c *collector) useLast(ctx context.Context, j job, last source.File, d *source.Dataset) source.File {
	if last.SHA256 == "" {
		return source.File{Name: j.part.Name, Location: j.place.location(j.part)}
	}
	if err := c.decodeSaved(ctx, j.part, last, d); err != nil {
		*d = source.Dataset{}
		return source.File{Name: j.part.Name, Location: j.place.location(j.part)}
	}
	last.Kept = true
	return last
}

// location returns the place that reports name for a part.
func (p Place) location(part source.Part) string {
	switch {
	case p.Folder != nil:
		return p.Name
	case p.URL != "":
		return p.addresses(part)[0]
	}
	return radiobrowser.Domain
}

// checkShrunk refuses a file that has lost too many of its records.
func (c *collector) checkShrunk(part source.Part, file, last source.File) error {
	if file.Items == 0 && (file.Skipped > 0 || !part.Optional) {
		return fmt.Errorf("%w: of its %d records none makes sense", source.ErrForm, file.Skipped)
	}
	if slices.Contains(c.plan.Accept, file.Name) {
		return nil
	}
	if float64(file.Items) < c.opts.MinShare*float64(last.Items) {
		return fmt.Errorf("%w: it has %d records where it had %d", ErrShrunk, file.Items, last.Items)
	}
	return nil
}
