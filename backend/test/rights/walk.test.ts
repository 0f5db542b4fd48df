/** Requests every route and every socket as each kind of caller. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '@slipway/testing'
import { isLongForm } from '@slipway/testing/forms'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addressOf } from '../support/server/listener.ts'
import { MemoryEngine } from '../support/engine/memory-engine.ts'
import { systemAgentSettled, useTeam } from '../support/people/team.ts'
import { ask, talk } from './ask.ts'
import { RouteCollector } from './routes.ts'
import { Scene } from './scene/scene.ts'
import { type Asker, populate, type World } from './scene/world.ts'
import { type Answer, type Needs, type Row, TABLE } from './table.ts'
import { PEOPLE } from './who.ts'

/**
 * Longest time for one row, in milliseconds. There are some forty callers, and for each the test may have to open a
 * terminal and create a link.
 */
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

/** In how many rows of the short form a caller who takes turns is asked once. */
const TURNS = 12

/**
 * The callers of a row. In the short form: a caller without a token, every user, and the owner's token with the scope that the row needs;
 * all others take turns.
 */
const askersOf = (row: Row): readonly Asker[] => {
  const turn = TABLE.indexOf(row) % TURNS
  const isAlways = ({ name, as, scope }: Asker): boolean =>
    name === 'nobody' || (scope === null ? as !== 'nobody' : as === 'owner' && row[1].split('|').includes(scope))
  const chosen = world.askers.filter((asker, at) => isAlways(asker) || at % TURNS === turn)
  return isLongForm ? world.askers : chosen
}

/** The error codes that the table leaves out, because the status implies them. The table names every other code. */
const CODES: Record<number, string> = { 401: 'UNAUTHENTICATED', 403: 'FORBIDDEN', 404: 'NOT_FOUND' }
/** The close code for a token without the scope. A terminal tells it from no invalid token. */
const SOCKET_WITHOUT_SCOPE = { terminal: 4001, events: 4003 }

/** Whether a token with these scopes has what a row needs. */
const suffices = (needs: Needs, scopes: readonly string[]): boolean =>
  needs.split('|').some((enough) => enough.split(' ').every((one) => scopes.includes(one)))

/** The table's answer to a caller. */
const expected = ([route, needs, answers]: Row, { as, scope }: Asker): Answer | undefined => {
  const allowed = scope === null || needs === 'public' || needs === 'any' || suffices(needs, scope.split(' '))
  if (!allowed)
    return route.startsWith('WS ') ? SOCKET_WITHOUT_SCOPE[route.endsWith('/events') ? 'events' : 'terminal'] : 403
  return answers[PEOPLE.indexOf(as)]
}

/** The received answer, written as in the table. */
const inWords = (status: number, body: string): Answer => {
  if (status < 400) return status
  const { code, statusCode } = JSON.parse(body) as { code?: string; statusCode: number }
  // The result of a task that failed, which is no refusal.
  if (code === undefined) return status
  expect(statusCode).toBe(status)
  return CODES[status] === code ? status : code
}

/** The system agent accepts a new terminal only after the program of the last one was hung up. */
const terminalsEnded = () => until('the terminals to end', () => engine.ptys.every(({ hangUps }) => hangUps > 0))

/** The address's first parameter. A caller gets an agent of its own only if the request changes it. */
const targetOf = async ([route, , , asking]: Row, scene: Scene, shared: string, changes: boolean): Promise<string> => {
  if (asking?.target) return asking.target(scene)
  if (!route.includes(':name')) return ''
  return asking?.ownAgent && changes ? scene.agent() : shared
}

/** Sends the request of one row as one caller. */
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
  // Pages and documents are the same for all callers, and caches may store them.
  if (path.startsWith('/api')) expect(headers, 'no proxy keeps it').toMatchObject({ 'cache-control': 'no-store' })
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
    const advice = `Say who is answered what; add to a part of backend/test/rights/table/:\n${suggestion.join('\n')}`
    expect(missing, advice).toEqual([])
    const gone = rows.filter((route) => !collector.routes.includes(route))
    expect(gone, 'these routes are no more; remove their rows from backend/test/rights/table/').toEqual([])
    expect(new Set(rows).size, 'one row for each route').toBe(rows.length)
  })
})

describe(
  'tenant A asks for B’s things, a private answer is kept by a browser or a proxy: every caller is answered as the table says, on',
  { timeout: ROW_MS },
  () => {
    it.each(TABLE.map((row) => [row[0], row] as const))('%s', async (_route, row) => {
      const shared = row[0].includes(':name') ? await new Scene(world, 'owner').agent() : ''
      const answers: Record<string, Answer> = {}
      const wanted: Record<string, Answer | undefined> = {}
      for (const asker of askersOf(row)) {
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
    const path = scene.fill(route.slice('WS '.length), await scene.commonAgent())
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
      const path = scene.fill(pattern, await scene.commonAgent(), row[3])
      for (const asker of askersOf(row).filter(({ as }) => as === 'nobody' || as === 'owner')) {
        const { status, body } = await ask(address, { method, path, token: await asker.token(), upgrade: true })
        expect([asker.name, inWords(status, body)]).toEqual([asker.name, 404])
      }
    },
  )
})

describe('tenant A asks for B’s things: what is missing and what a stranger must not know of are one answer, byte for byte, on', () => {
  /** Callers without access to the requested thing, with any other rights. */
  const outsiders = (row: Row) => askersOf(row).filter(({ as }) => as === 'nobody' || as === 'stranger')
  const addressed = TABLE.filter(([route]) => /\/:(name|id|sessionId)/.test(route))

  it.each(addressed.map((row) => [row[0], row] as const))('%s', async (_route, row) => {
    const [route, , , asking] = row
    const [method = '', pattern = ''] = route.split(' ')
    const owners = new Scene(world, 'owner')
    const theirs = await targetOf(row, owners, await owners.commonAgent(), false)
    const missing = route.includes(':name') ? owners.newName() : randomUUID()
    for (const asker of outsiders(row)) {
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
