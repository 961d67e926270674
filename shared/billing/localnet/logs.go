package localnet

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"miramundo.dev/shared/billing/facilitator"
)

// logs answers eth_getLogs for the token: of each transfer, that the authorization was
// used, and then the transfer. The filter must name the token, both blocks by their
// numbers, and topics.
func (n *Net) logs(ctx context.Context, params []json.RawMessage) (any, *rpcError) {
	var f facilitator.LogFilter
	if len(params) == 0 || json.Unmarshal(params[0], &f) != nil {
		return nil, &rpcError{badParameters, "the first parameter must be a filter"}
	}
	first, err := strconv.ParseInt(f.FromBlock, 0, 64)
	last, failed := strconv.ParseInt(f.ToBlock, 0, 64)
	if err != nil || failed != nil || f.Address != n.asset.Address {
		return nil, &rpcError{badParameters, "the filter must name the token and numbers of blocks"}
	}
	uses, err := n.ledger.uses(ctx, first, last)
	if err != nil {
		return nil, &rpcError{ownFailure, "the ledger does not answer"}
	}
	found := []facilitator.Log{}
	index, block := 0, int64(0)
	for _, u := range uses {
		if u.Block != block {
			index, block = 0, u.Block
		}
		for _, l := range u.logs(n.asset.Address, index) {
			if matches(l.Topics, f.Topics) {
				found = append(found, l)
			}
		}
		index += 2
	}
	return found, nil
}

// logs returns the logs of a use, the first with an index in its block.
func (u use) logs(token string, index int) []facilitator.Log {
	used := facilitator.Log{
		Address: token, Topics: []string{facilitator.EventUsed, facilitator.Topic(u.From), u.Nonce}, Data: "0x",
		BlockNumber: fmt.Sprintf("0x%x", u.Block), TransactionHash: u.Transaction, LogIndex: fmt.Sprintf("0x%x", index),
	}
	moved := used
	moved.Topics = []string{facilitator.EventTransfer, facilitator.Topic(u.From), facilitator.Topic(u.To)}
	moved.Data, moved.LogIndex = fmt.Sprintf("0x%064x", int64(u.Value)), fmt.Sprintf("0x%x", index+1)
	return []facilitator.Log{used, moved}
}

// matches reports whether the topics of a log are those of a filter, each a text or a
// list of texts.
func matches(topics []string, filter []any) bool {
	if len(filter) > len(topics) {
		return false
	}
	for i, want := range filter {
		if list, ok := want.([]any); ok && !slices.Contains(list, any(topics[i])) || !ok && want != topics[i] {
			return false
		}
	}
	return true
}
