/** Sets headers that isolate the pages: no foreign scripts, no other origins, no frames, no cached copies. */
import { createHash } from 'node:crypto'
import helmet from '@fastify/helmet'
import type { FastifyReply } from 'fastify'
import fp from 'fastify-plugin'

/** How long a browser remembers that the site is https only, in seconds: a year, the usual value. */
const HSTS_SECONDS = 31_536_000

const OWN_SCRIPTS = "script-src 'self'"

/**
 * Lets the page of this answer run the scripts in its own text, and no others, by the hash of each.
 *
 * @param html the page as it is sent
 */
export const allowOwnScripts = (reply: FastifyReply, html: string): void => {
  const policy = reply.getHeader('content-security-policy')
  if (typeof policy !== 'string') return
  const hashes = [...html.matchAll(/<script(?: type="module")?>([^]*?)<\/script>/g)].map(
    ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  )
  reply.header('content-security-policy', policy.replace(OWN_SCRIPTS, [OWN_SCRIPTS, ...hashes].join(' ')))
}

/** Options of {@link securityPlugin}. */
export interface SecurityOptions {
  /** Whether browsers reach the server over https. Only then the server sends HSTS. */
  readonly https: boolean
}

/** Sets the headers on every answer. A route whose answer may be cached sets `cache-control` itself. */
export const securityPlugin = fp<SecurityOptions>(
  async (app, { https }) => {
    app.addHook('onRequest', async (_request, reply) => void reply.header('cache-control', 'no-store'))
    await app.register(helmet, {
      contentSecurityPolicy: {
        // helmet's defaults would rewrite http to https, which an installation on 127.0.0.1 does not have.
        useDefaults: false,
        directives: {
          'default-src': ["'self'"],
          // The player of recordings draws with WebAssembly of our own origin. This value permits compiling it, but not
          // running text as a script.
          'script-src': ["'self'", "'wasm-unsafe-eval'"],
          'script-src-attr': ["'none'"],
          // The terminal and the component library position elements with style attributes and style elements.
          'style-src': ["'self'", "'unsafe-inline'"],
          'img-src': ["'self'", 'data:'],
          'font-src': ["'self'", 'data:'],
          'worker-src': ["'self'", 'blob:'],
          // 'self' covers the WebSockets of the same host (CSP Level 3, 6.7.2.8).
          'connect-src': ["'self'"],
          'object-src': ["'none'"],
          'base-uri': ["'self'"],
          'form-action': ["'self'"],
          'frame-ancestors': ["'none'"],
        },
      },
      frameguard: { action: 'deny' },
      referrerPolicy: { policy: 'no-referrer' },
      hsts: https ? { maxAge: HSTS_SECONDS, includeSubDomains: false } : false,
    })
  },
  { name: 'security', fastify: '5.x' },
)
