package library

import (
	"context"
	"encoding/json"
	"net/http"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/library/follow"
	"miramundo.dev/shared/library/m3u"
	"miramundo.dev/shared/library/public"
)

// maxUnmatched is how many unmatched entries a report lists.
const maxUnmatched = 100

type importIn struct {
	List     []byte `body:"audio/x-mpegurl,audio/mpegurl,application/x-mpegurl,application/vnd.apple.mpegurl,text/plain" description:"A playlist in M3U."`
	Backup   []byte `body:"application/json" description:"A library in the form of the export, or of GET /api/library."`
	Category string `query:"category" maxLength:"200" description:"Name of the folder whose sub-tabs the groups of a playlist become. Without it, a group called A / B becomes sub-tab B of folder A, and other groups go to the folder Importados."`
	Replace  bool   `query:"replace" default:"0" description:"1 deletes everything else in the library first."`
}

// An importable describes what an import reads of a backup, or of a library. Other
// members are ignored.
type importable struct {
	Version int                `json:"v,omitempty" description:"Version of the document's format, at most 1; absent in a library."`
	Folders []importableFolder `json:"categories" nullable:"false" minItems:"1" description:"Folders, in their order."`
}

type importableFolder struct {
	Name    string             `json:"name,omitempty"`
	Slug    string             `json:"slug,omitempty"`
	Subtabs []importableSubtab `json:"groups,omitempty" nullable:"false" description:"Sub-tabs, in their order."`
}

type importableSubtab struct {
	Name  string           `json:"name,omitempty"`
	Slug  string           `json:"slug,omitempty"`
	Items []importableItem `json:"items,omitempty" nullable:"false" description:"Channels, in their order."`
}

type importableItem struct {
	Channel string  `json:"channel_id,omitempty"`
	Stream  *string `json:"stream_id,omitempty" description:"The pinned stream; null for the best one."`
	Played  *string `json:"last_played_at,omitempty" format:"date-time"`
}

// A report counts the entries of an import by what became of them.
type report struct {
	Matched   int         `json:"matched" description:"Entries whose channel was found."`
	Added     int         `json:"added" description:"Entries that were added."`
	Repeated  int         `json:"repeated" description:"Entries whose channel was in the sub-tab already."`
	OverCap   int         `json:"over_cap" description:"Entries that exceed the limits of folders, sub-tabs and items."`
	Missed    int         `json:"unmatched_total" description:"Entries whose channel was not found."`
	Unmatched []unmatched `json:"unmatched" nullable:"false" description:"The first 100 entries without a channel."`
}

// An unmatched entry is one whose channel was not found.
type unmatched struct {
	Line   int    `json:"line" description:"Line of the entry's address in a playlist, or number of the entry in a backup, from 1."`
	Name   string `json:"name"`
	Reason string `json:"reason" enum:"not_in_catalog,ambiguous_name" description:"not_in_catalog: no channel has that address or name. ambiguous_name: several have."`
}

// An imported is the answer to an import.
type imported struct {
	*Library
	Report report `json:"report" description:"Counts of the entries by what became of them."`
}

// importList adds the channels of a list or a backup. It looks for them before the
// transaction, which may run several times and should be short. A request to
// replace the library by a list of which no channel was found is refused, because
// it would only delete.
func (s *Server) importList(ctx context.Context, in importIn) (*imported, error) {
	v, err := s.catalog.View()
	if err != nil {
		return nil, err
	}
	m := &matcher{View: v, finder: s.lists.of(v.Index()), links: s.links}
	plan, err := s.plan(m, in)
	if err != nil {
		return nil, err
	}
	if in.Replace && m.report.Matched == 0 && m.report.Missed > 0 {
		return nil, library.ErrBackup.With("reason", "nothing_matched")
	}
	out := &imported{Report: m.report}
	out.Library, err = s.change(ctx, func(l *library.Library, _ *index.View) error {
		if in.Replace {
			l.Clear()
		}
		merged := l.Merge(plan)
		out.Report.Added, out.Report.Repeated, out.Report.OverCap = merged.Added, merged.Repeated, merged.OverCap
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// plan parses a list or a backup, and finds its channels.
func (s *Server) plan(m *matcher, in importIn) ([]library.Category, error) {
	m.report.Unmatched = []unmatched{}
	if in.Backup == nil {
		entries, whole := m3u.Parse(string(in.List))
		if !whole {
			return nil, library.ErrBackup.With("reason", "too_many").With("bound", m3u.MaxEntries)
		}
		if len(entries) == 0 {
			return nil, library.ErrBackup.With("reason", "empty")
		}
		return m.planList(entries, in.Category), nil
	}
	b, err := library.ParseBackup(in.Backup)
	if err != nil {
		return nil, err
	}
	return b.Plan(s.now(), m.backedUp), nil
}

// A file is a backup to download.
type file struct{ *library.Backup }

// Schema returns the shape of the backup.
func (file) Schema() any { return library.Backup{} }

// fileName is the header that names the downloaded file.
var fileName = []string{`attachment; filename="miramundo-library.json"`}

// Reply writes the backup.
func (f file) Reply(w http.ResponseWriter, r *http.Request) error {
	data, err := json.MarshalIndent(f.Backup, "", " ")
	if err != nil {
		return err
	}
	w.Header()["Content-Disposition"] = fileName
	return api.WriteJSON(w, r, data)
}

// export answers from the stored library alone, so that it works without a catalog.
func (s *Server) export(ctx context.Context, _ struct{}) (file, error) {
	owner, err := identity.OwnerOf(ctx)
	if err != nil {
		return file{}, err
	}
	l, err := library.Load(ctx, s.db, owner)
	if err != nil {
		return file{}, fault.OrUnavailable(err)
	}
	p, err := public.OfOwner(ctx, s.db, owner)
	if err != nil {
		return file{}, fault.OrUnavailable(err)
	}
	f, err := follow.Load(ctx, s.db, owner)
	if err != nil {
		return file{}, fault.OrUnavailable(err)
	}
	b := l.Backup(s.now())
	b.Public, b.Following = p.Backup(l), f.Backup()
	return file{b}, nil
}
