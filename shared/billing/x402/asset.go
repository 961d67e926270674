package x402

import (
	"encoding/hex"
	"slices"
	"strings"

	"golang.org/x/crypto/sha3"
)

// An Asset is a stablecoin on a network.
type Asset struct {
	Network string // name in version 1, such as "base"
	CAIP2   string // name in version 2, such as "eip155:8453"
	ChainID int64
	Address string // of the token's contract, checksummed
	Name    string // of the EIP-712 domain
	Version string // of the EIP-712 domain
}

// assets are USDC on the networks that facilitators serve. Its domain has another
// name on the test network.
var assets = []Asset{
	{"base", "eip155:8453", 8453, "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "USD Coin", "2"},
	{"base-sepolia", "eip155:84532", 84532, "0x036CbD53842c5426634e7929541eC2318f3dCF7e", "USDC", "2"},
}

// Assets returns the assets in which payments can be taken.
func Assets() []Asset { return slices.Clone(assets) }

// AssetOf returns the asset of a network by its name of version 1 or 2, and whether
// the network is supported.
func AssetOf(network string) (Asset, bool) {
	for _, a := range assets {
		if network == a.Network || network == a.CAIP2 {
			return a, true
		}
	}
	return Asset{}, false
}

// ParseAddress returns an address (0x and 40 hexadecimal digits of either case) in
// its checksummed form (EIP-55), and whether it is one. A checksum in s is not
// verified, because clients send addresses in lower case too.
func ParseAddress(s string) (string, bool) {
	digits, ok := strings.CutPrefix(s, "0x")
	if !ok || len(digits) != 40 {
		return "", false
	}
	b, err := hex.DecodeString(digits)
	if err != nil {
		return "", false
	}
	return checksum(b), true
}

// checksum writes an address with the upper-case letters that EIP-55 asks for: those
// whose digit in the hash of the lower-case address is 8 or more.
func checksum(address []byte) string {
	text := []byte(hex.EncodeToString(address))
	sum := hex.EncodeToString(keccak(text))
	for i, c := range text {
		if c >= 'a' && sum[i] >= '8' {
			text[i] = c - 'a' + 'A'
		}
	}
	return "0x" + string(text)
}

// keccak returns the hash that EVM networks use, which is older than SHA-3 and pads
// differently.
func keccak(parts ...[]byte) []byte {
	h := sha3.NewLegacyKeccak256()
	for _, p := range parts {
		h.Write(p)
	}
	return h.Sum(nil)
}
