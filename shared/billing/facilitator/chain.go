package facilitator

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"miramundo.dev/shared/billing/x402"
)

const maxRPCAnswer = 1 << 20 // bytes; a block lists the hashes of its transactions

// Methods of a JSON-RPC node that are called.
const (
	MethodChainID = "eth_chainId"
	MethodBlock   = "eth_getBlockByNumber"
	MethodCall    = "eth_call"
	MethodLogs    = "eth_getLogs"
)

// AuthorizationState is authorizationState(address,bytes32) of EIP-3009, as calls of
// contracts name it.
const AuthorizationState = "e94a0102"

// A Fate is what the chain shows of the authorization of a payment.
type Fate int

// The fates.
const (
	Unknown Fate = iota // no node is configured
	Unused              // it has not been used, and still can be
	Paid                // it moved the money of the payment to its receiver
	Void                // it can no longer do that: it has expired, or was canceled or used for another transfer
)

// Trace asks the chain what became of the authorization of a payment, with the hash of
// the transaction of one that is Paid. Paid and Void are final.
//
// A used authorization alone does not mean that money came: its payer can cancel it, or
// sign another transfer with the same nonce, to an account of its own. So Trace looks in
// the logs of the token, in the blocks after since, for the transfer that the
// authorization made. It returns an error when the logs do not show what happened.
func (c *Client) Trace(ctx context.Context, p *x402.Payment, t x402.Terms, since time.Time) (fate Fate, transaction string, err error) {
	if c.rpc == "" {
		return Unknown, "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeouts.chain)
	defer cancel()
	if err := c.checkChain(ctx, t.Asset); err != nil {
		return Unused, "", err
	}
	var latest struct{ Number, Timestamp string }
	if err := c.ethereum(ctx, MethodBlock, []any{"latest", false}, &latest); err != nil {
		return Unused, "", err
	}
	seconds, err := quantity(latest.Timestamp)
	if err != nil {
		return Unused, "", err
	}
	used, err := c.state(ctx, p, t.Asset, latest.Number)
	switch {
	case err != nil:
		return Unused, "", err
	case used:
		return c.traceUse(ctx, p, t, latest.Number, int64(seconds)-since.Unix())
	case int64(seconds) >= p.ValidBefore.Unix():
		return Void, "", nil
	}
	return Unused, "", nil
}

// checkChain returns an error when the node is of another chain than asset, on which
// no authorization of ours was used. It asks until the answer was right once.
func (c *Client) checkChain(ctx context.Context, asset x402.Asset) error {
	c.mu.Lock()
	right := c.rightChain
	c.mu.Unlock()
	if right {
		return nil
	}
	var id string
	if err := c.ethereum(ctx, MethodChainID, []any{}, &id); err != nil {
		return err
	}
	if n, err := quantity(id); err != nil || int64(n) != asset.ChainID {
		return fmt.Errorf("facilitator: PAYMENT_RPC must be a node of chain %d", asset.ChainID)
	}
	c.mu.Lock()
	c.rightChain = true
	c.mu.Unlock()
	return nil
}

// state returns whether the authorization of p is used as of a block.
func (c *Client) state(ctx context.Context, p *x402.Payment, asset x402.Asset, block string) (bool, error) {
	from := strings.ToLower(strings.TrimPrefix(p.From, "0x"))
	call := map[string]string{
		"to":   asset.Address,
		"data": "0x" + AuthorizationState + strings.Repeat("0", 24) + from + hex.EncodeToString(p.Nonce[:]),
	}
	var result string
	if err := c.ethereum(ctx, MethodCall, []any{call, block}, &result); err != nil {
		return false, err
	}
	switch strings.TrimPrefix(result, "0x") {
	case strings.Repeat("0", 64):
		return false, nil
	case strings.Repeat("0", 63) + "1":
		return true, nil
	}
	return false, errors.New("facilitator: the node answered authorizationState with something else than a boolean")
}

// quantity parses an integer as JSON-RPC writes it, such as "0x1f".
func quantity(s string) (uint64, error) {
	digits, ok := strings.CutPrefix(s, "0x")
	n, err := strconv.ParseUint(digits, 16, 63)
	if !ok || err != nil {
		return 0, errors.New("facilitator: the node answered with a malformed number")
	}
	return n, nil
}

// ethereum calls a method of the node and decodes its result.
func (c *Client) ethereum(ctx context.Context, method string, params []any, result any) error {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return err
	}
	a, _, err := c.post(ctx, c.rpc, body, maxRPCAnswer)
	if err != nil {
		return fmt.Errorf("facilitator: %s of %s: %w", method, hostOf(c.rpc), err)
	}
	var in struct {
		Result json.RawMessage `json:"result"`
		Error  *struct {
			Code int `json:"code"`
		} `json:"error"`
	}
	if err := json.Unmarshal(a.body, &in); err != nil || a.status != 200 {
		return fmt.Errorf("facilitator: %s of %s: status %d with %d bytes is not a result", method, hostOf(c.rpc), a.status, len(a.body))
	}
	if in.Error != nil {
		return fmt.Errorf("facilitator: %s of %s: error %d", method, hostOf(c.rpc), in.Error.Code)
	}
	if json.Unmarshal(in.Result, result) != nil {
		return fmt.Errorf("facilitator: %s of %s: a result of another type", method, hostOf(c.rpc))
	}
	return nil
}
