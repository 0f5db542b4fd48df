/** Where agents are reached by SSH, for the programs and pages that tell users. */
import type { SshServer } from '@slipway/protocol'
import { readPublicKey } from './public-key.ts'

/** Where the SSH server listens, as clients reach it. */
export interface SshAddress {
  /** A host name or an address. */
  readonly host: string
  readonly port: number
  /** The public key of the server, as the line of a `.pub` file: `ssh-ed25519 AAAA…`. */
  readonly hostKey: string
}

/** What the SSH server tells of itself to the pages of users' keys. */
export class SshListener {
  #listening: Omit<SshAddress, 'host'> | null = null

  /** The SSH server listens from now on. */
  listens(at: Omit<SshAddress, 'host'>): void {
    this.#listening = at
  }

  /** Where clients reach it at this host; null while it does not listen. */
  at(host: string): SshAddress | null {
    return this.#listening && { host, ...this.#listening }
  }
}

/** The port for which `known_hosts` and addresses name none. */
const USUAL_PORT = 22

/** Null: SSH is off. Throws if the key is none. */
export const presentServer = (address: SshAddress | null): SshServer => {
  if (!address) return { address: null }
  const { port } = address
  // Addresses of pages have an IPv6 address in brackets, and OpenSSH takes them only before a port.
  const host = address.host.replace(/^\[(.*)\]$/, '$1')
  const { line, fingerprint } = readPublicKey(address.hostKey)
  const knownHosts = `${port === USUAL_PORT ? host : `[${host}]:${port}`} ${line}`
  return { address: { host, port, fingerprint, knownHosts } }
}
