/** Addresses of credentials: a gateway's URL, and the git host that a token is for. */
import { CREDENTIAL_KINDS, type CredentialKind } from '@slipway/protocol'
import { AppError } from '../../lib/errors.ts'

/** The address in canonical form; null for a kind without an address. Throws `VALIDATION` if it is wrong. */
export const checkedAddress = (kind: CredentialKind, text: string | undefined): string | null => {
  const { address, label } = CREDENTIAL_KINDS[kind]
  if (address === null) {
    if (text === undefined) return null
    throw invalid(`${label} has no address`)
  }
  if (text === undefined) throw invalid(`${label} needs an address`)
  const url = URL.parse(text.trim())
  if (!url) throw invalid('must be an address such as https://gateway.example.org')
  return address === 'gateway' ? gateway(url) : gitHost(url)
}

/** http is allowed, since gateways inside a network often have no certificate. */
const gateway = (url: URL): string => {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw invalid('must begin with https:// or http://')
  if (url.username || url.password)
    throw invalid('must not contain a user name or a password: the token has its own field')
  if (url.search || url.hash) throw invalid('must not have a query or a fragment')
  return url.href.replace(/\/+$/, '')
}

const gitHost = (url: URL): string => {
  if (url.protocol !== 'https:') throw invalid('must begin with https://')
  if (url.password) throw invalid('must not contain a password: the token has its own field')
  if (url.pathname !== '/' || url.search || url.hash) throw invalid('must be a host, without a path')
  return url.href.replace(/\/$/, '')
}

const invalid = (what: string): AppError => new AppError('VALIDATION', `body.address: ${what}`)
