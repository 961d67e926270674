package x402

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
)

// An Authorization is what the payer signs (TransferWithAuthorization of EIP-3009),
// in its form on the wire: integers in decimal digits, bytes as 0x and hexadecimal
// digits.
type Authorization struct {
	From        string `json:"from"`
	To          string `json:"to"`
	Value       string `json:"value"`
	ValidAfter  string `json:"validAfter"`
	ValidBefore string `json:"validBefore"`
	Nonce       string `json:"nonce"`
}

// Hashes of the types that are signed, as EIP-712 writes them.
var (
	domainType   = keccak([]byte("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"))
	transferType = keccak([]byte("TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"))
)

// SignatureSize is the length of the signature of a key: r, s, and which of two
// public keys it recovers to. Contracts sign with other lengths.
const SignatureSize = 65

// Digest returns the hash that the payer signs (EIP-712) to authorize a transfer of
// an asset. A field that is not in its form counts as zero.
func (a Authorization) Digest(asset Asset) [32]byte {
	domain := keccak(domainType, keccak([]byte(asset.Name)), keccak([]byte(asset.Version)),
		word(big.NewInt(asset.ChainID).Bytes()), word(bytesOf(asset.Address)))
	message := keccak(transferType, word(bytesOf(a.From)), word(bytesOf(a.To)),
		integer(a.Value), integer(a.ValidAfter), integer(a.ValidBefore), word(bytesOf(a.Nonce)))
	return [32]byte(keccak([]byte{0x19, 0x01}, domain, message))
}

// word returns b with zeros before it, 32 bytes long.
func word(b []byte) []byte {
	if len(b) > 32 {
		b = nil
	}
	return append(make([]byte, 32-len(b), 32), b...)
}

func integer(s string) []byte {
	n, ok := uint256(s)
	if !ok {
		return word(nil)
	}
	return word(n.Bytes())
}

// errSignature says that a signature is not one that the token's contract accepts.
var errSignature = errors.New("x402: signature must be r, s in the lower half of the order, and v of 27 or 28")

// Recover returns the checksummed address of the key that signed digest with a
// signature of 65 bytes. It refuses the second form that every signature has (s in
// the upper half of the order), as the token's contract does.
func Recover(digest [32]byte, signature []byte) (string, error) {
	if len(signature) != SignatureSize {
		return "", errSignature
	}
	v := signature[64]
	if v < 27 {
		v += 27 // some wallets write 0 and 1
	}
	var s secp256k1.ModNScalar
	if overflow := s.SetByteSlice(signature[32:64]); overflow || s.IsOverHalfOrder() || (v != 27 && v != 28) {
		return "", errSignature
	}
	compact := append([]byte{v}, signature[:64]...)
	key, _, err := ecdsa.RecoverCompact(compact, digest[:])
	if err != nil {
		return "", fmt.Errorf("x402: recover the signer: %w", err)
	}
	return AddressOf(key), nil
}

// AddressOf returns the checksummed address of the account of a key.
func AddressOf(key *secp256k1.PublicKey) string {
	return checksum(keccak(key.SerializeUncompressed()[1:])[12:])
}

// Authorization returns what the payer signed.
func (p *Payment) Authorization() Authorization { return p.authorization }

// VerifySignature returns an error when the payment is signed by another key than
// that of From, for a transfer of asset. A signature that is not 65 bytes long is
// that of a contract, which only the chain can verify: it returns no error.
func (p *Payment) VerifySignature(asset Asset) error {
	if len(p.Signature) != SignatureSize {
		return nil
	}
	signer, err := Recover(p.authorization.Digest(asset), p.Signature)
	if err == nil && signer != p.From {
		err = errors.New("x402: payment is signed by another account")
	}
	return err
}

// Key returns a name of the authorization that is the same in both versions of the
// protocol and for each form of its signature: a hash of the chain, the asset, the
// payer and the nonce, of which a chain accepts each once. The payment must match
// terms.
func (p *Payment) Key() string {
	a, _ := AssetOf(p.Network)
	name := fmt.Sprintf("%d/%s/%s/%x", a.ChainID, a.Address, p.From, p.Nonce)
	sum := sha256.Sum256([]byte(strings.ToLower(name)))
	return hex.EncodeToString(sum[:])
}
