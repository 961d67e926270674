package capacity

// catalog is what each instance of a function with the catalog holds in memory.
func (m *Model) catalog(l Load, s Setup) Outcome {
	channels := l.Channels
	if s.Countries {
		channels /= m.Catalog.Countries.Value
	}
	heap := channels * m.Catalog.Heap.Value * m.Catalog.Reload.Value
	start := m.Cloud.Start.Value + m.processor(channels*m.Catalog.Loading.Value)
	chunks := channels * m.Catalog.Stored.Value / m.Catalog.Chunk.Value
	return Outcome{
		Uses: []Use{
			{"memory of an instance while a release is replaced", heap / gib, m.Catalog.Memory.Value / gib * times(s.MemoryTimes), "GiB"},
			{"start of an instance", start, m.Cloud.StartMost.Value, "s"},
		},
		Figures: []Figure{{"start of an instance", start, "s"}, {"documents read at a start", chunks, ""}, {"memory", heap / gib, "GiB"}},
	}
}

// overlays are data that is laid over the catalog, which every instance follows.
func (m *Model) overlays(l Load, s Setup) Outcome {
	shards := m.Overlay.Shards.Value * times(s.Shards)
	channels := l.Channels // each has a report sooner or later
	if s.Countries {
		channels /= m.Catalog.Countries.Value
	}
	bytes := channels * m.Measured.ChannelBytes / shards
	instances := m.estimate(l)
	written := shards / m.Counting.Refresh.Value
	reads := instances*m.Overlay.Heads.Value/m.Overlay.Confirm.Value + instances*m.Overlay.Watched.Value*written
	if l.People == 0 {
		reads = 0
	}
	return Outcome{
		Uses: []Use{
			{"a shard of the counts, without detail", bytes, m.Cloud.DocumentBytes.Value, "bytes"},
			{"a shard of the counts", 1 / m.Counting.Refresh.Value, m.Cloud.Document.Value, "writes/s"},
		},
		Figures: []Figure{{"instances that follow", instances, ""}, {"documents read", reads, "a second"}, {"channels with counts", channels, ""}},
		Rates:   Rates{Reads: reads},
	}
}
