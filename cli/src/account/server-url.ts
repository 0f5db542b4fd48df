/** The address of a server, as users give it. */
import { usage } from '../api/errors.ts'

/**
 * The address in the one form in which addresses are compared: without a slash at its end. A path before `/api` is kept.
 *
 * @throws {SlipwayError} `USAGE` for what is no address of a server
 */
export const serverUrl = (text: string): string => {
  if (!URL.canParse(text)) throw usage(`${text} is no address. An address looks like https://slipway.example.org`)
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw usage('The address of a server begins with https:// or http://')
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw usage('The address of a server has no user, no password, no query and no fragment.')
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/

/** Whether a token that is sent there can be read on the way. */
export const isOpenOnTheWay = (url: string): boolean => {
  const { protocol, hostname } = new URL(url)
  return protocol === 'http:' && !LOOPBACK.test(hostname)
}
