package index

// Aliases returns where ids that were once published lead: of channels, and of
// streams.
func (ix *Index) Aliases() (channels, streams map[string]string) {
	return ix.channelTo.all(), ix.streamTo.all()
}
