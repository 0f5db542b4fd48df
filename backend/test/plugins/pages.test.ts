import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { ORIGIN, useApp } from '../support/server/app.ts'
import { addPerson, call, setUpAdmin } from '../support/people/people.ts'

const dir = mkdtempSync(join(tmpdir(), 'slipway-pages-'))
afterAll(() => rmSync(dir, { recursive: true }))

const people = useApp({ config: { staticDir: dir } })
const get = (url: string) => people().app.inject({ url })

describe('the front end', () => {
  it('says how to build it while it is not built', async () => {
    for (const url of ['/', '/dashboard']) {
      const response = await get(url)
      expect(response.statusCode).toBe(503)
      expect(response.headers['content-type']).toContain('text/plain')
      expect(response.body).toContain('npm run up')
    }
  })

  it('is one page for all of its addresses, which browsers revalidate each time', async () => {
    writeFileSync(join(dir, 'index.html'), '<title>Slipway</title>')
    for (const url of ['/', '/agents/mine', '/setup', '/index.html']) {
      const response = await get(url)
      expect(response.body).toBe('<title>Slipway</title>')
      expect(response.headers['cache-control']).toBe('no-cache')
    }
  })

  it('may run the scripts that the build has put into it, and nothing else of its text', async () => {
    const [first, second] = ['let dark = true;', 'await 0']
    const data = '<script type="application/json">{"a":1}</script><script src="/x.js"></script>'
    writeFileSync(join(dir, 'index.html'), `<script>${first}</script>${data}<script type="module">${second}</script>`)
    const hashes = [first, second].map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`)
    for (const url of ['/', '/agents/mine', '/index.html']) {
      const policy = String((await get(url)).headers['content-security-policy'])
      expect(policy).toContain(`script-src 'self' ${hashes.join(' ')} 'wasm-unsafe-eval';`)
      expect(policy.match(/sha256/g)).toHaveLength(2)
    }
    expect((await get('/assets/gone.js')).headers['content-security-policy']).not.toContain('sha256')
  })

  it('has files with a hash in their names, which are kept for a year', async () => {
    mkdirSync(join(dir, 'assets'), { recursive: true })
    writeFileSync(join(dir, 'assets/index-abc123.js'), '1')
    const response = await get('/assets/index-abc123.js')
    expect(response.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect((await get('/assets/gone-abc.js')).json()).toMatchObject({ code: 'NOT_FOUND' })
    expect((await get('/favicon.ico')).statusCode).toBe(404)
  })

  it('is sent as the build has compressed it, to browsers that accept that', async () => {
    const script = `export const a = [${'1,'.repeat(2000)}]`
    const page = `<script>${'let a = 1;'.repeat(300)}</script>`
    const write = (name: string, text: string): void => {
      writeFileSync(join(dir, name), text)
      writeFileSync(join(dir, `${name}.br`), brotliCompressSync(text))
      writeFileSync(join(dir, `${name}.gz`), gzipSync(text))
    }
    mkdirSync(join(dir, 'assets'), { recursive: true })
    write('assets/large-abc123.js', script)
    write('index.html', page)
    const plain = (bytes: Buffer): string => bytes.toString()
    const cases = [
      ['br', 'br', brotliDecompressSync],
      ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
      ['gzip', 'gzip', gunzipSync],
      ['gzip, br;q=0', 'gzip', gunzipSync],
      ['zstd', undefined, plain],
      ['identity', undefined, plain],
      [undefined, undefined, plain],
    ] as const
    for (const [url, text, kind] of [
      ['/assets/large-abc123.js', script, /^(text|application)\/javascript/],
      ['/agents/mine', page, /^text\/html/],
      ['/', page, /^text\/html/],
    ] as const) {
      const tags = new Set<unknown>()
      for (const [accepted, encoding, open] of cases) {
        const asking = accepted === undefined ? {} : { 'accept-encoding': accepted }
        const ask = (more: object = {}, method: 'GET' | 'HEAD' = 'GET') =>
          people().app.inject({ method, url, headers: { ...asking, ...more } })
        const { headers, rawPayload, statusCode } = await ask()
        expect({ url, accepted, statusCode, encoding: headers['content-encoding'] }).toEqual({
          ...{ url, accepted, statusCode: 200, encoding },
        })
        expect(open(rawPayload).toString()).toBe(text)
        expect(headers['vary']).toMatch(/accept-encoding/i)
        expect(headers['content-type']).toMatch(kind)
        expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff' })
        expect(headers['content-security-policy']).toContain(
          url.startsWith('/assets') ? "script-src 'self'" : 'sha256-',
        )
        tags.add(headers.etag)

        const head = await ask({}, 'HEAD')
        expect(head.headers).toMatchObject({ 'content-length': String(rawPayload.length), etag: headers.etag })
        expect((await ask({ 'if-none-match': headers.etag })).statusCode).toBe(304)
        const part = await ask({ range: 'bytes=2-5', 'if-range': headers.etag })
        expect([part.statusCode, part.rawPayload]).toEqual([206, rawPayload.subarray(2, 6)])
      }
      expect(tags.size, 'an entity tag for each form').toBe(3)
    }
    const gone = await people().app.inject({ url: '/assets/gone-abc.js', headers: { 'accept-encoding': 'br' } })
    expect(gone.json()).toMatchObject({ code: 'NOT_FOUND' })
    expect(gone.headers).not.toHaveProperty('content-encoding')
  })

  it.each(['/../package.json', '/..%2f..%2fpackage.json', '/assets/..%2f..%2f..%2fetc%2fpasswd.txt', '/%00.txt'])(
    'gives no file from outside of its folder: %s',
    async (url) => {
      const response = await get(url)
      expect([400, 403, 404]).toContain(response.statusCode)
      expect(response.json()).toHaveProperty('code')
    },
  )

  it('is not what an unknown address of the API answers', async () => {
    for (const url of ['/api', '/api/nowhere', '/api/'])
      expect((await get(url)).json()).toMatchObject({ code: 'NOT_FOUND' })
    expect((await people().app.inject({ method: 'POST', url: '/agents' })).json()).toMatchObject({ code: 'NOT_FOUND' })
  })
})

describe('every answer', () => {
  it('forbids foreign scripts, foreign requests and frames', async () => {
    for (const url of ['/', '/api/health', '/docs/', '/api/nowhere']) {
      const { headers } = await get(url)
      const policy = String(headers['content-security-policy'])
      expect(policy).toContain("default-src 'self'")
      expect(policy).toMatch(/script-src 'self'(?: 'sha256-[\w+/=]+')* 'wasm-unsafe-eval';/)
      expect(policy).toContain("connect-src 'self';")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toMatch(/https?:|upgrade-insecure|(?<!wasm-)unsafe-eval|\*/)
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' })
      expect(headers).not.toHaveProperty('strict-transport-security')
    }
  })
})

describe('the API page', () => {
  it('has no inline script and names no other host', async () => {
    const page = await get('/docs/')
    expect(page.statusCode).toBe(200)
    expect(page.body).not.toMatch(/<script(?![^>]*src=)[^>]*>/)
    expect(page.body).not.toMatch(/(src|href)="https?:/)
    for (const [, source] of page.body.matchAll(/(?:src|href)="\.?([^"]+)"/g)) {
      expect((await get(`/docs${source?.replace(/^\/docs/, '') ?? ''}`)).statusCode).toBe(200)
    }
  })

  it('describes every route, and which of them need a token', async () => {
    const document = (await get('/docs/json')).json<{ paths: Record<string, Record<string, { security: object[] }>> }>()
    expect(document.paths['/api/auth/login']?.['post']?.security).toEqual([])
    expect(document.paths['/api/users/{id}']?.['patch']?.security).toEqual([{ bearer: [] }])
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining(['/api/tokens', '/api/health/ready', '/api/metrics']),
    )
    expect(Object.keys(document.paths).every((path) => path.startsWith('/api/'))).toBe(true)
  })
})

describe('health and figures', () => {
  it('lives, and says what it waits for', async () => {
    expect((await get('/api/health')).json()).toEqual({ status: 'ok' })
    expect((await get('/api/health/ready')).json()).toMatchObject({ statusCode: 503, code: 'ENGINE_UNAVAILABLE' })
  })

  it('gives its figures to admins, by route and never by address', async () => {
    const admin = await setUpAdmin(people())
    const user = await addPerson(people(), admin, 'user@example.org')
    await call(people().app, 'GET /wp-login-canary')
    await call(people().app, 'DELETE /users/canary', { token: admin.token })
    const response = await call(people().app, 'GET /metrics', { token: admin.token })
    expect(response.headers['content-type']).toContain('text/plain')
    expect(response.body).toContain('process_resident_memory_bytes')
    expect(response.body).toContain('method="DELETE",route="/api/users/:id",status="404"')
    expect(response.body).not.toContain('canary')
    expect((await call(people().app, 'GET /metrics', { token: user.token })).statusCode).toBe(403)
    expect((await call(people().app, 'GET /metrics')).statusCode).toBe(401)
  })
})

describe('a page of another origin', () => {
  const post = (path: 'refresh' | 'logout' | 'login' | 'setup' | 'invitation', origin?: string) =>
    call(people().app, `POST /auth/${path}`, origin === undefined ? {} : { headers: { origin } })
  const foreign = [
    'http://evil.example',
    'null',
    '',
    `${ORIGIN}.evil.example`,
    `http://evil-127.0.0.1:4700`,
    'http://127.0.0.1:4701',
    'http://127.0.0.1',
    'https://127.0.0.1:4700',
    `${ORIGIN}/`,
    ORIGIN.toUpperCase(),
    `${ORIGIN}, http://evil.example`,
  ]

  it.each(foreign)('cannot use the cookie: %j', async (origin) => {
    for (const path of ['refresh', 'logout', 'login', 'setup', 'invitation'] as const) {
      expect((await post(path, origin)).json()).toMatchObject({ statusCode: 403, code: 'FOREIGN_ORIGIN' })
    }
  })

  it('is not what our own pages and programs without one are', async () => {
    for (const origin of [ORIGIN, 'http://localhost:4700', undefined]) {
      expect((await post('refresh', origin)).json()).toMatchObject({ statusCode: 401, code: 'INVALID_REFRESH' })
    }
  })
})
