package facilitator

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"miramundo.dev/shared/billing/x402"
)

// The logs of the token show what used an authorization. Its contract logs that the
// nonce was used and, as the next entry, the transfer that it made. The order matters:
// one transaction can use many nonces for transfers elsewhere, beside a single transfer
// to us.

// Events of the token, as the first topic of a log names them: the hashes of
// AuthorizationUsed(address,bytes32), AuthorizationCanceled(address,bytes32) and
// Transfer(address,address,uint256).
const (
	EventUsed     = "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5"
	EventCanceled = "0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81"
	EventTransfer = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
)

const (
	blockTime  = 2      // seconds between two blocks of the networks that are supported
	blocksPast = 30     // that are searched before the moment asked for: clocks differ
	maxBlocks  = 100000 // that are searched in all: two days
	blockRange = 2000   // that are searched at once: nodes refuse more
)

var errNoUse = errors.New("facilitator: the logs do not show how the authorization was used")

// A Log is an entry in the logs of a contract.
type Log struct {
	Address         string   `json:"address"`
	Topics          []string `json:"topics"`
	Data            string   `json:"data"`
	BlockNumber     string   `json:"blockNumber"`
	TransactionHash string   `json:"transactionHash"`
	LogIndex        string   `json:"logIndex"`
}

// A LogFilter asks for logs. A topic is a text, or a list of texts of which one must be
// equal.
type LogFilter struct {
	Address   string `json:"address"`
	FromBlock string `json:"fromBlock"`
	ToBlock   string `json:"toBlock"`
	Topics    []any  `json:"topics"`
}

// traceUse finds out what used an authorization, in the blocks of the last seconds up to
// the latest.
func (c *Client) traceUse(ctx context.Context, p *x402.Payment, t x402.Terms, latest string, seconds int64) (Fate, string, error) {
	use, err := c.findUse(ctx, p, t.Asset, latest, seconds)
	switch {
	case err != nil:
		return Unused, "", err
	case strings.EqualFold(use.Topics[0], EventCanceled):
		return Void, "", nil
	}
	index, err := quantity(use.LogIndex)
	if err != nil {
		return Unused, "", err
	}
	transfers, err := c.logs(ctx, LogFilter{t.Asset.Address, use.BlockNumber, use.BlockNumber, []any{EventTransfer, Topic(p.From), Topic(t.PayTo)}})
	if err != nil {
		return Unused, "", err
	}
	near := false
	for _, l := range transfers {
		if l.TransactionHash != use.TransactionHash || l.Data != fmt.Sprintf("0x%064x", int64(t.Amount)) {
			continue
		}
		if next, err := quantity(l.LogIndex); err == nil && next == index+1 && transaction.MatchString(l.TransactionHash) {
			return Paid, strings.ToLower(l.TransactionHash), nil
		}
		near = true
	}
	if near { // the same amount, moved by something else: the operator must look
		return Unused, "", errNoUse
	}
	return Void, "", nil
}

// findUse returns the log by which an authorization was used or canceled.
func (c *Client) findUse(ctx context.Context, p *x402.Payment, asset x402.Asset, latest string, seconds int64) (use Log, err error) {
	last, err := quantity(latest)
	if err != nil {
		return use, err
	}
	back := min(uint64(max(seconds, 0))/blockTime+blocksPast, maxBlocks, last)
	topics := []any{[]string{EventUsed, EventCanceled}, Topic(p.From), "0x" + hex.EncodeToString(p.Nonce[:])}
	for from := last - back; from <= last; from += blockRange {
		to := min(from+blockRange-1, last)
		found, err := c.logs(ctx, LogFilter{asset.Address, fmt.Sprintf("0x%x", from), fmt.Sprintf("0x%x", to), topics})
		switch {
		case err != nil:
			return use, err
		case len(found) == 1 && len(found[0].Topics) > 0:
			return found[0], nil
		case len(found) > 0:
			return use, errNoUse
		}
	}
	return use, errNoUse
}

func (c *Client) logs(ctx context.Context, f LogFilter) (found []Log, err error) {
	return found, c.ethereum(ctx, MethodLogs, []any{f}, &found)
}

// Topic returns an address as logs name it: 0x and 64 digits.
func Topic(address string) string {
	return "0x" + strings.Repeat("0", 24) + strings.ToLower(strings.TrimPrefix(address, "0x"))
}
