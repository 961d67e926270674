// Package collect knows the best state of every source: what it gives now, or
// else what it last gave that was whole.
//
// For each file it asks whether there is anything new, reads and decodes what
// there is, and compares it with what it last gave. What cannot be read as a
// whole, has no record that makes sense, or has lost a large share of its
// records is refused: then the last good body is decoded in its place, and the
// File says why. One file that fails never spoils another. With [Documents] as its cache it
// keeps these documents:
//
//	sources/{name}           the last good File of that name, with "_" for "/"
//	bodies/{name}-{sha256}   its body, unpacked and then packed with zstd
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
	Extra   *source.Dataset // added at the end, as it is; nil for nothing

	// Accept names files whose fall in size is meant: they are taken however
	// few their records are, unless they have none.
	Accept []string
}

// A Place is where an upstream's files are read. The zero Place reads nothing.
type Place struct {
	Folder fs.FS  // in any layout that the upstream has; preferred to URL
	Name   string // how reports call Folder
	URL    string // the address below which the files stand

	// Playlists are the addresses of iptv-org's streams when URL serves the
	// tables of its database ("channels.csv") in place of the JSON layout.
	// There are no guides in that layout.
	Playlists []string

	// Live reads radio-browser from whichever of its servers answers.
	Live bool

	// Origin is who publishes what is read here, when it is not the upstream
	// whose layout it has.
	Origin string
}

// Folder returns the place of a folder on disk.
func Folder(dir string) Place { return Place{Folder: os.DirFS(dir), Name: dir} }

// At returns the place that location names: an address when it begins with
// http:// or https://, otherwise a folder.
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

// Options are what collecting needs from outside. All may be zero.
type Options struct {
	Client   *origin.Client        // for addresses; the zero is a client of its own
	Resolver radiobrowser.Resolver // finds servers; the zero is the system's
	Cache    Cache                 // keeps what was good; the zero keeps nothing
	Now      func() time.Time      // the clock; the zero is time.Now
	Progress func(p Progress)      // told about each file; may be called concurrently
	MinShare float64               // the share of its last records below which a file is refused; the zero is 0.7
	Timeout  time.Duration         // for one request; the zero is five minutes
	MaxBytes int64                 // of one file, unpacked; the zero is source.MaxBody
}

// Progress says how far the reading of a file has come.
type Progress struct {
	Name  string // of the file
	Bytes int64  // read so far
	Items int    // records understood; 0 before the end
	Done  bool
}

// Load reads all sources of a plan. What goes wrong with a file is told in the
// dataset's Files; the error is that of ctx only.
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
		sign(&parts[i], jobs[i].place.Origin)
		data.Append(&parts[i])
	}
	if plan.Extra != nil {
		data.Append(plan.Extra)
	}
	return data, nil
}

// sign says of the records in d that origin publishes them, unless it is empty.
func sign(d *source.Dataset, origin string) {
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

// parallel is how many files are read at a time: few, for each holds its
// records and its packed body in memory.
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

// A collector reads the files of one plan.
type collector struct {
	plan Plan
	opts Options
}

// A job is one file to read, and where.
type job struct {
	part  source.Part
	place Place
	blind error // why it cannot be told what the file last gave; nil when it can
}

// jobs lists the files of the plan, the largest first so that none is left
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

// collect reads one file into d, with its last good body when this one is not.
func (c *collector) collect(ctx context.Context, j job, d *source.Dataset) {
	last, err := c.last(ctx, j.part.Name)
	if err != nil {
		last = source.File{Name: j.part.Name}
	}
	if !errors.Is(err, ErrNothing) {
		j.blind = err
	}
	file, err := c.fresh(ctx, j, last, d)
	if err != nil {
		*d = source.Dataset{}
		file = c.keep(ctx, j, last, d)
		file.Problem = Problem(err)
	}
	d.Files = []source.File{file}
	c.opts.Progress(Progress{Name: file.Name, Bytes: file.Bytes, Items: file.Items, Done: true})
}

// keep reads the last good body of a file into d, and returns the File of it.
func (c *collector) keep(ctx context.Context, j job, last source.File, d *source.Dataset) source.File {
	if last.SHA256 == "" {
		return source.File{Name: j.part.Name, Location: j.place.location(j.part)}
	}
	if err := c.decodeKept(ctx, j.part, last, d); err != nil {
		*d = source.Dataset{}
		return source.File{Name: j.part.Name, Location: j.place.location(j.part)}
	}
	last.Kept = true
	return last
}

// location says where a part was looked for.
func (p Place) location(part source.Part) string {
	switch {
	case p.Folder != nil:
		return p.Name
	case p.URL != "":
		return p.addresses(part)[0]
	}
	return radiobrowser.Domain
}

// shrunk refuses a file that has lost too many of its records.
func (c *collector) shrunk(part source.Part, file, last source.File) error {
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
