package admin

import (
	"context"
	"encoding/json"
	"slices"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/guide/gather"
	"miramundo.dev/shared/guide/refresh"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/store"
)

// guides are the endpoints of what the guides give.
var guides = []api.Endpoint{
	api.Bind((*Server).unmatched, api.Endpoint{
		Name:   "list_unmatched_guide_channels",
		Method: "GET", Path: "/api/admin/guide/unmatched", Auth: api.Operator,
		Summary: "List the unmatched channels of guides",
		Doc: "Returns each source of guides with how its last reading went and the channels of it that match no channel of the catalog, " +
			"each with the nearest one, as the last report of the job guide that read its file lists them. At most 600 channels of all " +
			"sources are listed.",
		Faults: []*fault.Error{fault.ErrUnavailable},
	}),
}

// A guideSource is a source of guides with what it lacks.
type guideSource struct {
	Name      string             `json:"name"`
	Location  string             `json:"location" description:"File or address, without a query."`
	Problem   string             `json:"problem" description:"Problem of the last run; empty when the source is good."`
	Unchanged bool               `json:"unchanged" description:"True when the last run did not read the file again, because it had not changed."`
	ReadAt    *store.Time        `json:"read_at" type:"string" format:"date-time" description:"Run whose report has the figures below; null when no stored report has any."`
	Channels  int                `json:"channels" description:"Channels in the file."`
	Matched   int                `json:"matched" description:"Channels of the file that are channels of the catalog."`
	Unmatched int                `json:"unmatched" description:"Channels of the file that match none of the catalog, those that are not listed included."`
	Sample    []unmatchedChannel `json:"items" nullable:"false" description:"First of them."`
}

// An unmatchedChannel is a channel of a guide that matches none of the catalog.
type unmatchedChannel struct {
	ID          string `json:"id" description:"Id of the channel in the guide, cut after 60 characters."`
	Name        string `json:"name"`
	Reason      string `json:"reason" description:"Reason for which nothing matches."`
	NearestID   string `json:"nearest_id" description:"Channel of the catalog whose name is most like; empty when none is."`
	NearestName string `json:"nearest_name" description:"Name of the nearest channel of the catalog."`
}

// guideSources is the answer with all sources of guides.
type guideSources struct {
	Items []guideSource `json:"items" nullable:"false"`
	Total int           `json:"total"`
}

func (s *Server) unmatched(ctx context.Context, _ struct{}) (*guideSources, error) {
	reports, err := s.Jobs.History(ctx, refresh.Name)
	if err != nil {
		return nil, fault.OrUnavailable(err)
	}
	out := &guideSources{Items: []guideSource{}}
	for _, name := range s.Guides {
		source, err := sourceIn(reports, name)
		if err != nil {
			return nil, err
		}
		out.Items = append(out.Items, source)
	}
	out.Total = len(out.Items)
	return out, nil
}

// sourceIn returns what reports, the newest first, say of a source: its state by the
// newest one, and its channels by the newest one that read its file.
func sourceIn(reports []job.Report, name string) (guideSource, error) {
	out, newest := guideSource{Name: name, Sample: []unmatchedChannel{}}, true
	for _, rep := range reports {
		all, err := guideReport(rep)
		if err != nil {
			return out, err
		}
		i := slices.IndexFunc(all.Sources, func(r refresh.SourceReport) bool { return r.Name == name })
		if i < 0 {
			continue
		}
		r := all.Sources[i]
		if newest {
			out.Location, out.Problem, out.Unchanged, newest = r.Location, r.Problem, r.Unchanged, false
		}
		if r.Unchanged || r.Problem != "" {
			continue
		}
		out.ReadAt = &rep.StartedAt
		out.Channels, out.Matched, out.Unmatched = r.Declared, r.Matched, r.Unmatched
		for _, u := range r.Sample {
			out.Sample = append(out.Sample, showUnmatched(u))
		}
		break
	}
	return out, nil
}

func showUnmatched(u gather.Unmatched) unmatchedChannel {
	return unmatchedChannel{ID: u.ID, Name: u.Name, Reason: u.Reason, NearestID: u.Nearest, NearestName: u.NearestName}
}

// guideReport returns the result of a run of the job guide, which is stored as JSON.
func guideReport(rep job.Report) (out refresh.Report, err error) {
	data, err := json.Marshal(rep.Result)
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	return out, err
}
