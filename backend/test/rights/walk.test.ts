/** Walks over every route and every socket as everybody who may ask. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '@slipway/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addressOf } from '../support/listener.ts'
import { MemoryEngine } from '../support/engine/memory-engine.ts'
import { systemAgentSettled, useTeam } from '../support/team.ts'
import { ask, talk } from './ask.ts'
import { RouteCollector } from './routes.ts'
import { type Asker, populate, Scene, type World } from './scene.ts'
import { type Answer, type Row, TABLE } from './table.ts'
import { PEOPLE } from './who.ts'

/** Longest for one row, in milliseconds: fifteen ask, and each may have to open a terminal and hand out a link first. */
const ROW_MS = 120_000

const collector = new RouteCollector()
const engine = new MemoryEngine()
const staticDir = mkdtempSync(join(tmpdir(), 'slipway-test-pages-'))
const team = useTeam({ runtime: engine.runtime, config: { staticDir } })
let world: World
let address: string

beforeAll(async () => {
  collector.stop()
  writeFileSync(join(staticDir, 'index.html'), '<!doctype html>')
  await systemAgentSettled(team())
  address = await addressOf(team())
  world = await populate(team(), engine)
})
afterAll(() => rmSync(staticDir, { recursive: true }))

/** The codes that go with a status which says who may not; every other error has to be named by its code. */
const CODES: Record<number, string> = { 401: 'UNAUTHENTICATED', 403: 'FORBIDDEN', 404: 'NOT_FOUND' }
/** What a socket is closed with for a token that lacks the scope. */
const SOCKET_WITHOUT_SCOPE = 4001

/** What the table says of one who asks. */
const expected = ([route, needs, answers]: Row, { as, scope }: Asker): Answer | undefined => {
  const needed = needs.split(' ')
  const allowed =
    scope === null || needs === 'public' || needs === 'any' || needed.every((one) => scope.split(' ').includes(one))
  if (!allowed) return route.startsWith('WS ') ? SOCKET_WITHOUT_SCOPE : 403
  return answers[PEOPLE.indexOf(as)]
}

/** What came, in the table's words. */
const inWords = (status: number, body: string): Answer => {
  if (status < 400) return status
  const { code, statusCode } = JSON.parse(body) as { code: string; statusCode: number }
  expect(statusCode).toBe(status)
  return CODES[status] === code ? status : code
}

/** The place of the system agent's terminal is free again when the program of the last one was told to end. */
const terminalsEnded = () => until('the terminals to end', () => engine.ptys.every(({ hangUps }) => hangUps > 0))

/** What stands for the address's first parameter; an agent of its own only where it will not be what it was. */
const targetOf = async ([route, , , asking]: Row, scene: Scene, shared: string, changes: boolean): Promise<string> => {
  if (asking?.target) return asking.target(scene)
  if (!route.includes(':name')) return ''
  return asking?.ownAgent && changes ? scene.agent() : shared
}

/** One row, asked by one of them. */
const answerTo = async (row: Row, asker: Asker, shared: string): Promise<Answer> => {
  const [route, , , asking] = row
  const [method = '', pattern = ''] = route.split(' ')
  const scene = new Scene(world, asker.as)
  const isAllowed = [200, 201, 202, 204, 'open'].includes(expected(row, asker) ?? 0)
  const path = scene.fill(pattern, await targetOf(row, scene, shared, isAllowed), asking)
  const token = await asker.token()
  if (method === 'WS') {
    const { answer } = await talk(address, path, token)
    await terminalsEnded()
    return answer
  }
  const endless = asking?.endless
  const { status, body, headers } = await ask(address, {
    method,
    path,
    token,
    body: await row[3]?.body?.(scene),
    endless,
  })
  // Pages and documents are the same for all, and may be kept.
  if (path.startsWith('/api'))
    expect(headers, 'nobody on the way keeps it').toMatchObject({ 'cache-control': 'no-store' })
  if (method === 'GET') {
    const head = await ask(address, { method: 'HEAD', path, token })
    expect(head, `HEAD ${path} is answered like GET`).toMatchObject({ status, body: '' })
  }
  await scene.leave()
  return inWords(status, body)
}

describe('tenant A asks for B’s things: the table', () => {
  it('has a row for every route and every socket of the server, and for none that is not there', () => {
    const rows = TABLE.map(([route]) => route)
    const missing = collector.routes.filter((route) => !rows.includes(route))
    const suggestion = missing.map(
      (route) => `  ['${route}', '<scope>', [<nobody>, <stranger>, <sharee>, <owner>, <admin>]],`,
    )
    const advice = `Say who is answered what; add to TABLE in backend/test/rights/table.ts:\n${suggestion.join('\n')}`
    expect(missing, advice).toEqual([])
    const gone = rows.filter((route) => !collector.routes.includes(route))
    expect(gone, 'these routes are no more; remove their rows from backend/test/rights/table.ts').toEqual([])
    expect(new Set(rows).size, 'one row for each route').toBe(rows.length)
  })
})

describe(
  'tenant A asks for B’s things, a private answer is kept by a browser or a proxy: everybody is answered as the table says, on',
  { timeout: ROW_MS },
  () => {
    it.each(TABLE.map((row) => [row[0], row] as const))('%s', async (_route, row) => {
      const shared = await new Scene(world, 'owner').agent()
      const answers: Record<string, Answer> = {}
      const wanted: Record<string, Answer | undefined> = {}
      for (const asker of world.askers) {
        answers[asker.name] = await answerTo(row, asker, shared)
        wanted[asker.name] = expected(row, asker)
      }
      expect(answers).toEqual(wanted)
    })
  },
)

describe('a plain request finds nothing at the address of a socket', () => {
  it.each(TABLE.map(([route]) => route).filter((route) => route.startsWith('WS ')))('%s', async (route) => {
    const scene = new Scene(world, 'owner')
    const path = scene.fill(route.slice('WS '.length), await scene.agent())
    const answers = new Set<string>()
    for (const asker of world.askers) {
      const { status, bytes } = await ask(address, { method: 'GET', path, token: await asker.token() })
      expect([asker.name, status]).toEqual([asker.name, 404])
      answers.add(bytes)
    }
    expect(answers.size, 'one answer for all').toBe(1)
  })
})

describe('an upgrade where there is no WebSocket finds nothing', () => {
  it.each(TABLE.filter(([route]) => !route.startsWith('WS ')).map((row) => [row[0], row] as const))(
    '%s',
    async (_route, row) => {
      const scene = new Scene(world, 'owner')
      const [method = '', pattern = ''] = row[0].split(' ')
      const path = scene.fill(pattern, await scene.agent(), row[3])
      for (const asker of world.askers.filter(({ as }) => as === 'nobody' || as === 'owner')) {
        const { status, body } = await ask(address, { method, path, token: await asker.token(), upgrade: true })
        expect([asker.name, inWords(status, body)]).toEqual([asker.name, 404])
      }
    },
  )
})

describe('tenant A asks for B’s things: what is missing and what a stranger must not know of are one answer, byte for byte, on', () => {
  /** Those who have no part in the thing that is asked for, whatever else they may do. */
  const outsiders = () => world.askers.filter(({ as }) => as === 'nobody' || as === 'stranger')
  const addressed = TABLE.filter(([route]) => /\/:(name|id|sessionId)/.test(route))

  it.each(addressed.map((row) => [row[0], row] as const))('%s', async (_route, row) => {
    const [route, , , asking] = row
    const [method = '', pattern = ''] = route.split(' ')
    const owners = new Scene(world, 'owner')
    const theirs = await targetOf(row, owners, await owners.agent(), false)
    const missing = route.includes(':name') ? owners.newName() : randomUUID()
    for (const asker of outsiders()) {
      const [forbidden, absent] = await Promise.all(
        [theirs, missing].map(async (target) => {
          const path = owners.fill(pattern, target, asking)
          const token = await asker.token()
          if (method === 'WS') return (await talk(address, path, token)).bytes
          return (await ask(address, { method, path, token, body: await row[3]?.body?.(owners) })).bytes
        }),
      )
      expect([asker.name, forbidden]).toEqual([asker.name, absent])
    }
    await owners.leave()
  })
})
