package admin

import (
	"context"
	"slices"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/guide/pin"
)

// The paths of all pins and of one.
const (
	pinsPath = "/api/admin/guide/pins"
	pinPath  = "/api/admin/guide/pins/{id}"
)

// pins are the endpoints by which the operator says which channels those of guides
// are.
var pins = []api.Endpoint{
	api.Bind((*Server).pins, api.Endpoint{
		Name:   "list_guide_pins",
		Method: "GET", Path: pinsPath, Auth: api.Operator,
		Summary: "List the pins of guides",
		Doc: "Returns every channel of a guide that the operator pinned to a channel of the catalog, in the order in which they were " +
			"pinned. GET /api/admin/guide/unmatched has the channels of guides that match nothing, each with the nearest channel of the " +
			"catalog.",
		Faults: []*fault.Error{fault.ErrUnavailable},
	}),
	api.Bind((*Server).addPin, api.Endpoint{
		Name:   "add_guide_pin",
		Method: "POST", Path: pinsPath, Auth: api.Operator,
		Summary: "Add a pin of a guide",
		Doc: "Says which channel of the catalog a channel of a guide is, whatever its id and names, and returns the pin. It replaces an " +
			"earlier pin of the same channel of the guide, and takes effect with the next run of the job guide, which " +
			"POST /api/admin/jobs/guide starts. There may be 500 pins: another one answers 409.",
		Faults: []*fault.Error{pin.ErrInvalid, pin.ErrTooMany, catalog.ErrNoChannel, catalog.ErrNotLoaded, fault.ErrUnavailable},
	}),
	api.Bind((*Server).removePin, api.Endpoint{
		Name:   "remove_guide_pin",
		Method: "DELETE", Path: pinPath, Auth: api.Operator,
		Summary: "Remove a pin of a guide",
		Doc: "Removes one pin and returns those that remain. From the next run of the job guide on, the channel of the guide is " +
			"matched by its id and names again.",
		Faults: []*fault.Error{pin.ErrNoPin, fault.ErrUnavailable},
	}),
}

type pinList struct {
	Items   []pin.Pin `json:"items" nullable:"false"`
	Total   int       `json:"total"`
	Sources []string  `json:"sources" nullable:"false" description:"Names of the sources that are configured."`
}

func (s *Server) pins(ctx context.Context, _ struct{}) (*pinList, error) {
	all, err := s.Pins.All(ctx)
	if err != nil {
		return nil, fault.OrUnavailable(err)
	}
	return &pinList{Items: append([]pin.Pin{}, all...), Total: len(all), Sources: append([]string{}, s.Guides...)}, nil
}

type pinIn struct {
	Source    string `json:"source" required:"true" minLength:"1" maxLength:"40" description:"Name of a configured source, as in the job's report."`
	GuideID   string `json:"guide_id" required:"true" minLength:"1" maxLength:"200" description:"Id of the channel in the guide."`
	ChannelID string `json:"channel_id" required:"true" maxLength:"128" description:"Id of the channel of the catalog that it is; empty when its programmes are those of no channel."`
}

func (s *Server) addPin(ctx context.Context, in pinIn) (*pin.Pin, error) {
	if !slices.Contains(s.Guides, in.Source) {
		return nil, pin.ErrInvalid.With("param", "source")
	}
	channel := in.ChannelID
	if channel != "" {
		v, err := s.Live.View()
		if err != nil {
			return nil, err
		}
		current, ok := v.Current(channel)
		if !ok {
			return nil, catalog.ErrNoChannel
		}
		channel = current
	}
	p, err := pin.New(in.Source, in.GuideID, channel, s.Now())
	if err != nil {
		return nil, err
	}
	return &p, fault.OrUnavailable(s.Pins.Set(ctx, p))
}

func (s *Server) removePin(ctx context.Context, in removeIn) (*pinList, error) {
	if err := s.Pins.Remove(ctx, in.ID); err != nil {
		return nil, fault.OrUnavailable(err)
	}
	return s.pins(ctx, struct{}{})
}
