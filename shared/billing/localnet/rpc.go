package localnet

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"miramundo.dev/shared/billing/facilitator"
	"miramundo.dev/shared/billing/x402"
)

// blockSeconds is the time between two blocks. Blocks come by the clock: a transfer is
// in the state, and in the logs of the latest block, at once.
const blockSeconds = 2

// balanceOf(address) of ERC-20, as calls of contracts name it.
const balanceOf = "70a08231"

// Codes of errors of JSON-RPC.
const (
	unknownMethod = -32601
	badParameters = -32602
	ownFailure    = -32603
)

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// rpc answers the calls of JSON-RPC that a server or a wallet makes about payments.
func (n *Net) rpc(r *http.Request) (any, error) {
	var in struct {
		ID     json.RawMessage   `json:"id"`
		Method string            `json:"method"`
		Params []json.RawMessage `json:"params"`
	}
	if err := read(r, &in); err != nil {
		return nil, err
	}
	answer := map[string]any{"jsonrpc": "2.0", "id": in.ID}
	result, failure := n.call(r.Context(), in.Method, in.Params)
	if failure != nil {
		answer["error"] = failure
	} else {
		answer["result"] = result
	}
	return answer, nil
}

// block returns the number of the latest block.
func (n *Net) block() int64 { return n.now().Unix() / blockSeconds }

func (n *Net) call(ctx context.Context, method string, params []json.RawMessage) (any, *rpcError) {
	number := fmt.Sprintf("0x%x", n.block())
	switch method {
	case facilitator.MethodChainID:
		return fmt.Sprintf("0x%x", n.asset.ChainID), nil
	case "eth_blockNumber":
		return number, nil
	case facilitator.MethodBlock:
		return map[string]any{"number": number, "timestamp": fmt.Sprintf("0x%x", n.now().Unix()), "transactions": []string{}}, nil
	case facilitator.MethodCall:
		return n.contract(ctx, params)
	case facilitator.MethodLogs:
		return n.logs(ctx, params)
	}
	return nil, &rpcError{unknownMethod, "the method is not supported"}
}

// contract answers a call of the token's contract.
func (n *Net) contract(ctx context.Context, params []json.RawMessage) (any, *rpcError) {
	var call struct{ To, Data, Input string }
	if len(params) == 0 || json.Unmarshal(params[0], &call) != nil {
		return nil, &rpcError{badParameters, "the first parameter must be a call"}
	}
	if to, _ := x402.ParseAddress(call.To); to != n.asset.Address {
		return "0x", nil // as a node answers for an address without a contract
	}
	data, err := hex.DecodeString(strings.TrimPrefix(call.Data+call.Input, "0x"))
	if err != nil || len(data) < 4+32 {
		return nil, &rpcError{badParameters, "data must be 0x and a call in hexadecimal digits"}
	}
	address, _ := x402.ParseAddress("0x" + hex.EncodeToString(data[4+12:4+32]))
	var word int64
	switch method := hex.EncodeToString(data[:4]); {
	case method == balanceOf:
		held, failed := n.ledger.balance(ctx, address)
		word, err = int64(held), failed
	case method == facilitator.AuthorizationState && len(data) == 4+64:
		p := x402.Payment{Network: n.asset.Network, From: address, Nonce: [32]byte(data[4+32:])}
		used, failed := n.ledger.used(ctx, p.Key())
		if err = failed; used {
			word = 1
		}
	default:
		return nil, &rpcError{badParameters, "the contract has no such method"}
	}
	if err != nil {
		return nil, &rpcError{ownFailure, "the ledger does not answer"}
	}
	return fmt.Sprintf("0x%064x", word), nil
}
