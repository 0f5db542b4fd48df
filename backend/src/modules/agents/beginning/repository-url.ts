/**
 * The addresses of repositories that an agent may clone. Git takes much more: options, commands of transport helpers,
 * folders of the machine. Everything that is not known to be an address is refused.
 */
import { AppError } from '../../../lib/errors.ts'

/** `user@host:path`. A path with a slash first is allowed; one that begins with `-` would be an option of a program. */
const SCP = /^[A-Za-z0-9_][A-Za-z0-9._-]*@[A-Za-z0-9][A-Za-z0-9.-]*:(?!-)[^\s:]+$/
const USER = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/
/** Everything that is printed and is no space: a control character could forge what a terminal or a log shows. */
const PRINTED = /^[^\s\p{C}]+$/u
const PROTOCOLS = ['https:', 'http:', 'ssh:']
/** A branch or a tag as git allows it, and never an option, a range or a reflog entry. */
const REF = /^[\p{L}\p{N}_](?:[\p{L}\p{N}_.+#@=-]|\/(?!\/))*$/u
/** Most characters of a folder that is named after the repository. */
const FOLDER_MAX = 100

const refused = (why: string): AppError => new AppError('VALIDATION', `body.repository.url: ${why}`)

/** Throws `VALIDATION` with a sentence that says what is wrong, and never with the address, which may hold a secret. */
export const checkRepositoryUrl = (url: string): void => {
  if (!PRINTED.test(url)) throw refused('must not contain spaces or control characters')
  if (url.startsWith('-')) throw refused('must not begin with "-"')
  if (/^[a-z0-9+.-]*::/i.test(url)) throw refused('must not name a transport helper of git')
  if (!url.includes('://')) {
    if (SCP.test(url)) return
    throw refused('must begin with https://, http:// or ssh://, or be like git@host:path')
  }
  const parsed = URL.parse(url)
  if (!parsed || parsed.hostname === '' || parsed.hostname.startsWith('-')) throw refused('is no address')
  if (!PROTOCOLS.includes(parsed.protocol)) throw refused('must begin with https://, http:// or ssh://')
  const { username, password } = parsed
  if (password !== '' || (username !== '' && parsed.protocol !== 'ssh:'))
    throw refused('must not contain a user name or a password. Set a git token for the agent instead')
  if (username !== '' && !USER.test(username)) throw refused('has a user name that is not allowed')
  if (parsed.search !== '' || parsed.hash !== '') throw refused('must not have a query or a fragment')
  if (parsed.pathname.replaceAll('/', '') === '') throw refused('names a host, but no repository')
}

/** Throws `VALIDATION` for what git would not take as the name of a branch or a tag. `field`: where the request has it. */
export const checkRef = (ref: string, field = 'body.repository.ref'): void => {
  const isRef = REF.test(ref) && !/\.\.|@\{|\/\.|\.lock(?:\/|$)|[/.]$/.test(ref)
  if (!isRef) throw new AppError('VALIDATION', `${field}: must be the name of a branch or a tag`)
}

/** The folder of a clone if its user names none: the last part of the address, as far as a folder may have it. */
export const folderOf = (url: string): string => {
  const last = url.replace(/\/+$/, '').replace(/^.*[/:]/, '')
  const name = decoded(last)
    .replace(/\.git$/, '')
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[.-]+/, '')
  return name.slice(0, FOLDER_MAX) || 'repository'
}

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
