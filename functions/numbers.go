package functions

import (
	"context"
	"fmt"
	"slices"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog/release"
	"miramundo.dev/shared/compose"
	"miramundo.dev/shared/job"
	numbers "miramundo.dev/shared/vitrine"
)

// newNumbersJob returns the job that publishes the numbers of the service. It takes
// the routes whose calls are counted as uses from the table, by their names.
func newNumbersJob(p *compose.Parts) (job.Job, error) {
	var uses numbers.Uses
	table := Table()
	for _, use := range []struct {
		patterns *[]string
		names    []string
	}{
		{&uses.Reports, []string{"report_play"}},
		{&uses.Favorites, []string{"add_favorite"}},
		{&uses.Comments, []string{"add_comment"}},
		{&uses.Messages, []string{"post_chat_message"}},
		{&uses.Guests, []string{"create_guest"}},
		{&uses.SignIns, []string{
			"sign_in_by_mailed_code", "sign_in_by_mailed_link", "sign_in_by_password", "sign_in_by_passkey", "sign_in_by_device_link",
		}},
	} {
		for _, name := range use.names {
			i := slices.IndexFunc(table, func(e api.Endpoint) bool { return e.Name == name })
			if i < 0 {
				return job.Job{}, fmt.Errorf("the numbers count the calls of %s, which is not an endpoint", name)
			}
			*use.patterns = append(*use.patterns, table[i].Pattern())
		}
	}
	catalog := func(ctx context.Context) (*numbers.CatalogNumbers, error) {
		return catalogNumbers(ctx, p.Archive, p.Catalog.State().Version)
	}
	return numbers.NewJob(numbers.Options{DB: p.DB, Uses: uses, Catalog: catalog, Now: p.Now}), nil
}

// catalogNumbers returns how much a release has; nil when it is not kept any more, or
// when none is shown.
func catalogNumbers(ctx context.Context, archive *release.Archive, version string) (*numbers.CatalogNumbers, error) {
	releases, err := archive.Releases(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(releases, func(r release.Release) bool { return r.Version == version })
	if i < 0 {
		return nil, nil
	}
	number := func(n int) numbers.Number { all := int64(n); return &all }
	r := releases[i]
	return &numbers.CatalogNumbers{Channels: number(r.Channels), Stations: number(r.Stations), Streams: number(r.Streams), Playable: number(r.Playable)}, nil
}
