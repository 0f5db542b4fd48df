/** What a request and an answer look like on the other side of the door. An app sees `localhost`, as its developers expect. */
import type { IncomingMessage } from 'node:http'
import { cookieHeaderWithout, isOwnCookie } from './cookie.ts'

/** Headers as Node.js writes them: names and values in turn. */
export type RawHeaders = readonly string[]

/** For one connection only (RFC 9110, 7.6.1). Node.js writes its own. */
const HOP_BY_HOP = ['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade']
/** Told by proxies in front of this server. The app has no use for them, and compares some with `Host`. */
const FORWARDED = /^(forwarded|x-forwarded-.*|x-real-ip)$/
/**
 * `clear-site-data` clears the cookies of the whole site, which the server may share. `alt-svc` would lead the browser to
 * another server. `strict-transport-security` is for the operator to decide.
 */
const NOT_FROM_APPS = ['clear-site-data', 'alt-svc', 'strict-transport-security']

/** The other names of the app's origins: what the browser sees for what the app sees. */
export interface Origins {
  /** `http://localhost:5173` for the browser's origin of it; null for an origin that is no port of this agent. */
  inward(origin: string): string | null
  /** The browser's origin of a port of this agent. */
  outward(port: number): string
}

const pairs = function* (raw: RawHeaders): Generator<[string, string]> {
  for (let at = 0; at + 1 < raw.length; at += 2) yield [raw[at]!, raw[at + 1]!]
}

/**
 * Names in the header `connection` belong to one connection, too. The length of a body never does: the receiver would read a
 * body without it as the next message.
 */
const droppedOf = (raw: RawHeaders): Set<string> => {
  const dropped = new Set(HOP_BY_HOP)
  for (const [name, value] of pairs(raw))
    if (name.toLowerCase() === 'connection') for (const one of value.split(',')) dropped.add(one.trim().toLowerCase())
  dropped.delete('content-length')
  return dropped
}

/** A URL whose origin is that of a port, with the app's origin; others unchanged. */
const inwardUrl = (url: string, origins: Origins): string => {
  const parsed = URL.parse(url)
  const inward = parsed && origins.inward(parsed.origin)
  return inward === null ? url : inward + parsed!.pathname + parsed!.search
}

/** The headers for the app. `body` tells whether the request has a body whose length is not known. */
export const toApp = (
  { rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>,
  port: number,
  origins: Origins,
): string[] => {
  const dropped = droppedOf(rawHeaders)
  const headers = ['Host', `localhost:${port}`]
  for (const [name, value] of pairs(rawHeaders)) {
    const lower = name.toLowerCase()
    if (lower === 'host' || dropped.has(lower) || FORWARDED.test(lower)) continue
    if (lower === 'cookie') {
      const others = cookieHeaderWithout(value)
      if (others !== '') headers.push(name, others)
    } else if (lower === 'origin') headers.push(name, origins.inward(value) ?? value)
    else if (lower === 'referer') headers.push(name, inwardUrl(value, origins))
    else headers.push(name, value)
  }
  return headers
}

/** `http://localhost:5173/x` and `http://127.0.0.1:5173/x` as the browser knows them; others unchanged. */
const outwardUrl = (url: string, origins: Origins): string => {
  const [whole, port, rest = ''] = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::(\d{1,5}))?(\/.*)?$/.exec(url) ?? []
  return whole === undefined ? url : origins.outward(Number(port ?? 80)) + rest
}

/** A cookie of the app is for its own host name alone. */
const withoutDomain = (cookie: string): string => cookie.replace(/;\s*domain=[^;]*/gi, '')

/** The headers for the browser. */
export const toBrowser = (raw: RawHeaders, origins: Origins): string[] => {
  const dropped = droppedOf(raw)
  const headers: string[] = []
  for (const [name, value] of pairs(raw)) {
    const lower = name.toLowerCase()
    if (dropped.has(lower) || NOT_FROM_APPS.includes(lower)) continue
    if (lower === 'location' || lower === 'access-control-allow-origin') headers.push(name, outwardUrl(value, origins))
    else if (lower !== 'set-cookie') headers.push(name, value)
    else if (!isOwnCookie(value)) headers.push(name, withoutDomain(value))
  }
  return headers
}
