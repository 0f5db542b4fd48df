/** Asks for everything that is reached without a route, as each kind of caller: the host names of ports, and SSH. */
import { beforeAll, describe, expect, it } from 'vitest'
import { isLongForm } from '@slipway/testing/forms'
import { PortHosts } from '../../src/modules/ports/host.ts'
import { SYSTEM_AGENT_NAME } from '../../src/modules/agents/service.ts'
import { MemoryEngine } from '../support/engine/memory-engine.ts'
import { addressOf } from '../support/server/listener.ts'
import { addPerson, call, type Person } from '../support/people/people.ts'
import { newPair } from '../support/ssh/memory-keys.ts'
import { systemAgentSettled, useTeam } from '../support/people/team.ts'
import { ask } from './ask.ts'
import { SshCollector } from './doors/kinds.ts'
import { askOver } from './doors/ssh.ts'
import { PORT, ticketOf, type Visit, VISITS } from './doors/visits.ts'
import { Scene } from './scene/scene.ts'
import { type Asker, populate, type World } from './scene/world.ts'
import { type DoorRow, type Former, HOST_ROWS, SSH_ROWS, type Visitor } from './table/doors.ts'
import type { Answer, Row } from './table/row.ts'
import { PEOPLE, type Who } from './who.ts'

/** Longest time for one row, in milliseconds: each of some forty callers gets a ticket first. */
const ROW_MS = 120_000
const NAMESPACE = 'slipway'

const collector = new SshCollector()
const engine = new MemoryEngine()
const team = useTeam({ runtime: engine.runtime, config: { namespace: NAMESPACE, sshPort: 0 } })
const hosts = new PortHosts({ namespace: NAMESPACE, domain: null })
let world: World
let address: string
/** The agent that the owner shares with the sharee. */
let agent: string

beforeAll(async () => {
  await systemAgentSettled(team())
  address = await addressOf(team())
  world = await populate(team(), engine)
  agent = await new Scene(world, 'owner').commonAgent()
  return () => collector.stop()
})

const TARGETS = ['agent', 'system'] as const
type Target = (typeof TARGETS)[number]
const nameOf = (target: Target): string => (target === 'agent' ? agent : SYSTEM_AGENT_NAME)
const answersAt = (row: DoorRow<never> | DoorRow<Visitor> | DoorRow<Former>, target: Target): Row[2] =>
  row[target === 'agent' ? 2 : 3]

/** The answer at a host name to a browser with what it was given. */
const answerAt = async (kind: string, agentName: string, { url, lose }: Visit): Promise<Answer> => {
  const host = hosts.nameOf({ agentName, port: PORT })
  const given = url === null ? null : new URL(url)
  const get = (at: string, path: string, headers = {}) =>
    ask(address, { method: 'GET', path, headers: { host: at, ...headers } })
  const [, ownPath] = /^GET [^/]+(\/.+)$/.exec(kind) ?? []
  if (ownPath !== undefined) {
    await lose?.()
    return (await get(host, `${ownPath}${given?.search ?? '?ticket=unknown'}`)).status
  }
  const entered = given && (await get(given.host, given.pathname + given.search))
  const cookie = entered?.headers['set-cookie']?.[0]?.split(';')[0]
  await lose?.()
  const headers = { host, ...(cookie !== undefined && { cookie }) }
  const upgrade = kind.startsWith('WS ') ? { upgrade: true as const } : {}
  return (await ask(address, { method: 'GET', path: '/', headers, ...upgrade })).status
}

const over = (privateKey: string, username: string, ways: readonly string[]): Promise<Record<string, Answer>> =>
  askOver({ port: world.sshPort()!, username, privateKey }, ways)
const wayOf = ([kind]: DoorRow<Former>): string => kind.split(' ').at(-1)!
const isFormer = (who: Who | Former): who is Former => !PEOPLE.some((one) => one === who)

/** In the short form an owner's token with the one scope that is enough, and one with another, stand for all tokens. */
const askersOf = (): readonly Asker[] =>
  world.askers.filter(
    ({ as, scope }) => isLongForm || scope === null || (as === 'owner' && ['terminal', 'agents:read'].includes(scope)),
  )
const expectedAt = (row: DoorRow<Visitor>, target: Target, { as, scope }: Asker): Answer => {
  const hasScope = scope === null || scope.split(' ').includes(row[1])
  return answersAt(row, target)[PEOPLE.indexOf(hasScope ? as : 'nobody')]!
}

describe('tenant A asks for B’s things beside the API: every caller is answered as the table says, on', () => {
  const rows = HOST_ROWS.flatMap((row) => TARGETS.map((target) => [row[0], target, row] as const))

  it.each(rows)('%s of the %s', { timeout: ROW_MS }, async (kind, target, row) => {
    const base = target === 'agent' ? `/agents/${agent}` : '/system-agent'
    const answers: Record<string, Answer> = {}
    const wanted: Record<string, Answer> = {}
    for (const asker of askersOf()) {
      const visit = await ticketOf(world, base, await asker.token())
      answers[asker.name] = await answerAt(kind, nameOf(target), visit)
      wanted[asker.name] = expectedAt(row, target, asker)
    }
    expect(answers).toEqual(wanted)
  })

  it.each(HOST_ROWS.map((row) => [row[0], row] as const))('%s for visitors', { timeout: ROW_MS }, async (kind, row) => {
    const answers: Record<string, Answer> = {}
    for (const [who, visit] of Object.entries(VISITS)) {
      const name = await new Scene(world, 'owner').agent()
      answers[who] = await answerAt(kind, name, await visit(world, `/agents/${name}`))
    }
    expect(answers).toEqual(row[4])
  })

  it('the name of an agent that a stranger must not know of, as on that of none', async () => {
    const visit = await ticketOf(world, `/agents/${agent}`, await world.signedIn(world.stranger))
    const missing = new Scene(world, 'owner').newName()
    const told = async (agentName: string, upgrade?: true): Promise<string> => {
      const host = hosts.nameOf({ agentName, port: PORT })
      const { bytes } = await ask(address, { method: 'GET', path: '/', headers: { host }, ...(upgrade && { upgrade }) })
      return bytes.replaceAll(agentName, 'it').replace(/content-length: \d+/i, '')
    }
    expect(visit.url).toBeNull()
    expect(await told(agent)).toBe(await told(missing))
    expect(await told(agent, true)).toBe(await told(missing, true))
  })
})

describe('tenant A asks for B’s things over SSH: every key is answered as the table says, in', () => {
  const keys = new Map<Who | Former, string>()
  /** Adds a key of a user, and answers its id. */
  const add = async (who: Who | Former, person: Pick<Person, 'id'>): Promise<string> => {
    const pair = newPair('ed25519')
    keys.set(who, pair.private)
    const body = { name: who, publicKey: pair.public }
    const answer = await call(world.app, 'POST /ssh-keys', { token: await world.signedIn(person), body })
    return answer.json<{ id: string }>().id
  }

  beforeAll(async () => {
    const { app, owner, admin } = world
    const token = await world.signedIn(owner)
    keys.set('nobody', newPair('ed25519').private)
    for (const who of PEOPLE) if (who !== 'nobody') await add(who, world[who])
    const removed = await add('a removed key', owner)
    await call(app, `DELETE /ssh-keys/${removed}`, { token })
    const asAdmin = { token: await world.signedIn(admin) }
    const user = () => addPerson(world, { ...admin, ...asAdmin }, new Scene(world, 'owner').newEmail())
    const [disabled, former] = [await user(), await user()]
    for (const { email } of [disabled, former])
      await call(app, `POST /agents/${agent}/shares`, { token, body: { email } })
    await add('the key of a disabled user', disabled)
    await call(app, `PATCH /users/${disabled.id}`, { ...asAdmin, body: { disabled: true } })
    await add('the key of a user whose share was revoked', former)
    await call(app, `DELETE /agents/${agent}/shares/${former.id}`, { token })
  })

  it.each(TARGETS)('all rows of the %s', { timeout: ROW_MS }, async (target) => {
    const answers: Record<string, Record<string, Answer>> = {}
    const wanted: Record<string, Record<string, Answer>> = {}
    for (const [who, privateKey] of keys) {
      answers[who] = await over(privateKey, nameOf(target), SSH_ROWS.map(wayOf))
      const answerIn = (row: DoorRow<Former>): Answer =>
        isFormer(who) ? row[4][who] : answersAt(row, target)[PEOPLE.indexOf(who)]!
      wanted[who] = Object.fromEntries(SSH_ROWS.map((row) => [wayOf(row), answerIn(row)]))
    }
    expect(answers).toEqual(wanted)
  })
})

describe('the table of what is reached beside the API', () => {
  it('has a row for each kind of address at the host name of a port, and for none that is not there', () => {
    const advice = 'Say who is answered what in backend/test/rights/table/doors.ts'
    expect(HOST_ROWS.map(([kind]) => kind).sort(), advice).toEqual([...world.hostAddresses()].sort())
  })

  it('has a row for each kind of channel and program of SSH, and for none that is not there', async () => {
    // A session tells what it serves when it is open.
    const pair = newPair('ed25519')
    const body = { name: 'kinds', publicKey: pair.public }
    await call(world.app, 'POST /ssh-keys', { token: await world.signedIn(world.admin), body })
    expect(await over(pair.private, agent, ['exec'])).toEqual({ exec: 'open' })
    const advice = 'Say who is answered what in backend/test/rights/table/doors.ts'
    expect(SSH_ROWS.map(([kind]) => kind).sort(), advice).toEqual(collector.addresses)
  })
})
