package reload

import (
	"slices"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/source"
	"miramundo.dev/shared/store"
)

// addFiles adds the results of reading the source files to the report.
func (r *Report) addFiles(files []source.File) {
	for _, f := range files {
		report := FileReport{
			Name: f.Name, Location: f.Location, Problem: f.Problem, Kept: f.Kept, Items: f.Items, Skipped: f.Skipped,
			Bytes: f.Bytes, FetchedAt: store.At(f.FetchedAt), SHA256: f.SHA256,
			Refusals: refusalsOf(f.Refusals), Overridden: refusalsOf(f.Overridden),
		}
		r.Files = append(r.Files, report)
		r.Refusals = append(r.Refusals, report.Refusals...)
		r.Overridden = append(r.Overridden, report.Overridden...)
	}
}

// refusalsOf returns refusals as the catalog stores them.
func refusalsOf(refusals []source.Refusal) []catalog.Refusal {
	out := make([]catalog.Refusal, 0, len(refusals))
	for _, refusal := range refusals {
		out = append(out, catalog.Refusal(refusal))
	}
	return out
}

// withRefusals returns sources with what was refused of each in this reload: of
// its file, and of the catalog that was made from it.
func withRefusals(sources []catalog.Source, files []source.File, ofRelease []catalog.Refusal) []catalog.Source {
	sources = slices.Clone(sources)
	for i := range sources {
		s := &sources[i]
		for _, f := range files {
			if f.Name == s.Name {
				s.Kept, s.Problem, s.Refusals = f.Kept, f.Problem, refusalsOf(f.Refusals)
			}
		}
		for _, refusal := range ofRelease {
			if refusal.File == s.Name {
				s.Kept, s.Problem, s.Refusals = true, refusal.Reason, append(s.Refusals, refusal)
			}
		}
	}
	return sources
}
