// Package collect reads the current state of every source, and falls back to
// the last good state of a source that cannot be read or cannot be right.
//
// For each file it asks whether there is anything new, decodes it, and
// compares it with the last good state (guard.go). The files of one source are
// taken or left together (set.go), since channels of one month with streams of
// another make a catalog that nobody published: when one file is refused, the
// last good bodies of all of them are decoded instead, and each File says why.
// Sources do not affect each other. With [Documents] as its cache it stores
//
//	sources/{name}           the last good File of that name, with "_" for "/"
//	bodies/{name}-{sha256}   its body, decompressed and then compressed with zstd
package collect

import (
	"cmp"
	"context"
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

	// Force takes the files that the guards refuse, and says in each File what
	// it overrides. A file that cannot be read or has no valid record cannot be
	// taken: its last good body is used beside the other files.
	Force bool
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

// Load reads all sources of a plan, and saves what is good. A problem with a
// file is reported in the dataset's Files; the error is only ever that of ctx.
func Load(ctx context.Context, plan Plan, opts Options) (*source.Dataset, error) {
	c, err := Collect(ctx, plan, opts)
	if err != nil {
		return nil, err
	}
	c.Save(ctx)
	return c.Dataset(), nil
}

// Collect reads all sources of a plan as Load does, but saves nothing yet: the
// caller may still find that a source cannot be right.
func Collect(ctx context.Context, plan Plan, opts Options) (*Collection, error) {
	c := &Collection{plan: plan, opts: opts.orDefault()}
	c.sets = c.plannedSets()
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for _, r := range c.largestFirst() {
		group.Go(func() error {
			c.readFile(groupCtx, r)
			return groupCtx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for _, s := range c.sets {
		c.decide(ctx, s)
	}
	return c, ctx.Err()
}

// A Collection is what the sources of a plan have now. Its methods must not be
// called concurrently.
type Collection struct {
	plan Plan
	opts Options
	sets []*set
}

// Dataset returns all records, and the state of each file.
func (c *Collection) Dataset() *source.Dataset {
	data := new(source.Dataset)
	for _, s := range c.sets {
		for _, r := range s.files {
			setOrigin(&r.data, s.place.Origin)
			r.data.Files = []source.File{r.file}
			data.Append(&r.data)
		}
	}
	if c.plan.Extra != nil {
		data.Append(c.plan.Extra)
	}
	return data
}

// Drop releases the records, which take much memory. Dataset must not be called
// after that, nor Leave.
func (c *Collection) Drop() {
	for _, s := range c.sets {
		for _, r := range s.files {
			r.data = source.Dataset{}
		}
	}
}

// Files returns the state of each file.
func (c *Collection) Files() (files []source.File) {
	for _, s := range c.sets {
		for _, r := range s.files {
			files = append(files, r.file)
		}
	}
	return files
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
	return o
}

// plannedSets returns the sources of the plan with their files, none of them
// read yet.
func (c *Collection) plannedSets() (sets []*set) {
	if place := c.plan.Radio; !place.none() {
		sets = append(sets, newSet(place, radiobrowser.Part))
	}
	if place := c.plan.IPTVOrg; !place.none() {
		parts := slices.Clone(iptvorg.Parts)
		if len(place.Playlists) > 0 && place.Folder == nil {
			parts = slices.DeleteFunc(parts, func(p source.Part) bool { return p.Name == iptvorg.GuidesPart })
		}
		sets = append(sets, newSet(place, parts...))
	}
	return sets
}

// largestFirst returns the files in the order in which reading them takes the
// least time: no large one is left alone at the end.
func (c *Collection) largestFirst() (all []*reading) {
	for _, s := range c.sets {
		all = append(all, s.files...)
	}
	return all
}

func (p Place) none() bool { return p.Folder == nil && p.URL == "" && !p.Live }

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
