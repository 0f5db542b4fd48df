/** Serves the built front end: its files, and its one page for every address that is not the API's. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import fastifyStatic from '@fastify/static'
import fp from 'fastify-plugin'
import { DAY_MS } from '../lib/time/clock.ts'
import { allowOwnScripts } from './security.ts'

/** The folder whose files have a hash of their content in their names. */
const HASHED = 'assets/'
/** How long a browser may cache these files, which never change, in milliseconds. */
const HASHED_MAX_AGE_MS = 365 * DAY_MS
const PAGE = 'index.html'

const NOT_BUILT = `The front end has not been built.

Run "npm run up" in the project's folder: it builds what is missing and starts the server.
The API is there all the same, described at /docs.
`

/** Options of {@link frontendPlugin}. */
export interface FrontendOptions {
  /** The folder with `index.html`. The server reads it at each request, so a build may replace it meanwhile. */
  readonly dir: string
}

/** Register it last, because it answers every address that has no route. */
export const frontendPlugin = fp<FrontendOptions>(
  async (app, { dir }) => {
    // The build has compressed the files. The server compresses nothing at a request.
    await app.register(fastifyStatic, { root: dir, serve: false, preCompressed: true })
    app.get<{ Params: { '*': string } }>('/*', { config: { action: 'public' } }, async (request, reply) => {
      const path = request.params['*']
      if (path === 'api' || path.startsWith('api/')) return reply.callNotFound()
      if (!existsSync(join(dir, PAGE))) return reply.code(503).type('text/plain; charset=utf-8').send(NOT_BUILT)
      if (path.startsWith(HASHED)) return reply.sendFile(path, { maxAge: HASHED_MAX_AGE_MS, immutable: true })
      // Files have an extension. Addresses of pages have none.
      const file = extname(path) === '' ? PAGE : path
      if (file === PAGE) allowOwnScripts(reply, await readFile(join(dir, PAGE), 'utf8'))
      return reply.header('cache-control', 'no-cache').sendFile(file, { cacheControl: false })
    })
  },
  { name: 'frontend', fastify: '5.x' },
)
