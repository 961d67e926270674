/**
 * A wallet for tests: an EIP-1193 provider in the page whose keys are here, in Node, and
 * that asks nobody. It signs typed data (EIP-712) of flat structures, as payments are.
 */
import { secp256k1 } from '@noble/curves/secp256k1'
import { keccak_256 } from '@noble/hashes/sha3'
import { bytesToHex, concatBytes, hexToBytes, randomBytes, utf8ToBytes } from '@noble/hashes/utils'

/** Encodes the value of a field in 32 bytes. */
function word(type, value) {
  if (type === 'string') return keccak_256(utf8ToBytes(value))
  const hex = type === 'uint256' ? BigInt(value).toString(16) : value.slice(2)
  return hexToBytes(hex.padStart(64, '0'))
}

/** Returns the hash of a structure of types. */
function hashOf(types, name, value) {
  const fields = types[name]
  const form = `${name}(${fields.map(({ type, name }) => `${type} ${name}`).join(',')})`
  return keccak_256(concatBytes(keccak_256(utf8ToBytes(form)), ...fields.map(({ type, name }) => word(type, value[name]))))
}

export class Wallet {
  key = randomBytes(32)
  calls = []
  /** Errors that the next calls of a method answer, by their codes. */
  fails = {}

  get address() {
    const [, ...open] = secp256k1.getPublicKey(this.key, false)
    return `0x${bytesToHex(keccak_256(Uint8Array.from(open)).slice(-20))}`
  }

  /** Gets test money from the faucet of a stack. */
  async fund({ base }) {
    const { faucet } = await (await fetch(new URL('/api/billing', base))).json()
    const answer = await fetch(faucet, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ address: this.address }) })
    if (!answer.ok) throw new Error(`the faucet answers ${answer.status} ${await answer.text()}`)
  }

  /** Installs the wallet in a context of the browser, announced by a name when one is given. */
  async install(context, name) {
    await context.exposeFunction('askWallet', (method, params) => this.request(method, params ?? []))
    await context.addInitScript(name => {
      const provider = {
        async request({ method, params }) {
          const { code, result } = await window.askWallet(method, params)
          if (code !== undefined) throw Object.assign(new Error('refused'), { code })
          return result
        }
      }
      if (!name) { window.ethereum = provider; return }
      const announce = () => window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: { info: { uuid: name, name, icon: 'https://elsewhere.example/icon.png' }, provider } }))
      window.addEventListener('eip6963:requestProvider', announce)
    }, name)
  }

  request(method, params) {
    this.calls.push(method)
    const code = this.fails[method]?.shift()
    if (code !== undefined) return { code }
    if (method === 'eth_requestAccounts') return { result: [this.address] }
    if (method === 'eth_signTypedData_v4') return { result: this.sign(JSON.parse(params[1])) }
    return { result: null }
  }

  sign({ types, domain, primaryType, message }) {
    const hash = keccak_256(concatBytes(Uint8Array.of(0x19, 0x01), hashOf(types, 'EIP712Domain', domain), hashOf(types, primaryType, message)))
    const signature = secp256k1.sign(hash, this.key)
    return `0x${signature.toCompactHex()}${(27 + signature.recovery).toString(16)}`
  }
}
