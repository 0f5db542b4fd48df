import { AUDIT_ACTIONS, type AuditAction, type AuditEvent } from '@slipway/protocol'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '@slipway/testing'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { Prober } from '../../src/modules/credentials/probe/prober.ts'
import { RELAY_PROGRAM } from '../../src/modules/relay/open.ts'
import type { ContainerRuntime } from '../../src/runtime/port.ts'
import { auditOf, whileAuditIsRefused } from '../support/audit.ts'
import { MemoryEngine } from '../support/engine/memory-engine.ts'
import { systemAgentSettled, useTeam } from '../support/people/team.ts'
import type { Expected } from './acts/act.ts'
import { ACTS } from './acts/all.ts'

/** Acts of the platform itself, without a request of a user. */
const BY_THE_PLATFORM = {
  'login.suppressed': 'flood.test.ts',
  'setup.link_created': 'set-up.test.ts',
  'schedule.disabled': 'schedules.test.ts',
  'webhook.disabled': 'owner.test.ts',
  'chat.linked': 'discord.test.ts',
  // By a person, over no request.
  'ssh.connected': 'door.test.ts',
} as const satisfies Partial<Record<AuditAction, string>>

/** Calls to the engine that change nothing in it. */
const LOOKS = [
  'available',
  'list',
  'find',
  'fingerprint',
  'processes',
  'logs',
  'stats',
  'usage',
  'diskUse',
  'watch',
  'close',
]
const asked: string[] = []
/** The platform starts the relay of an agent by itself, and tries it again, while later acts run. */
const isRelay = (args: readonly unknown[]): boolean => JSON.stringify(args).includes(RELAY_PROGRAM)
/** Records every call to the engine that may change something. */
const watched = (runtime: ContainerRuntime): ContainerRuntime =>
  new Proxy(runtime, {
    get: (target, name: keyof ContainerRuntime) => {
      const value = target[name]
      if (typeof value !== 'function' || LOOKS.includes(name)) return value
      return (...args: unknown[]) => {
        if (!isRelay(args)) asked.push(name)
        return (value as (...args: unknown[]) => unknown)(...args)
      }
    },
  })

const team = useTeam({ runtime: watched(new MemoryEngine().runtime) })
const probes = vi.spyOn(Prober.prototype, 'ask')
beforeAll(() => systemAgentSettled(team()))
afterAll(() => probes.mockRestore())

/** The actions of all rows so far. */
const seen = new Set<AuditAction>()
const recordingFiles = (): string[] => {
  const folder = join(team().dataDir, 'recordings')
  return existsSync(folder) ? readdirSync(folder).toSorted() : []
}
/** What an act may change in the database. */
const TABLES = [
  'User',
  'SignIn',
  'ApiToken',
  'SshKey',
  'Link',
  'Agent',
  'Share',
  'TerminalSession',
  'TerminalLink',
  'CodingRun',
  'Comparison',
  'ComparisonTarget',
  'CliProvider',
  'Schedule',
  'Conversation',
  'ConversationMessage',
  'Webhook',
  'IncomingHook',
  'Skill',
  'SkillSetting',
  'PromptTemplate',
  'ApprovalRule',
  'Recording',
  'Credential',
  'AuditEvent',
]
/** All rows in one statement, because each of two dozen takes as long. Deliveries of webhooks fail in the background. */
const EVERYTHING = TABLES.map((table) => {
  const row = table === 'Webhook' ? `to_jsonb(t) - 'failingSince'` : 'to_jsonb(t)'
  return `SELECT '${table}' AS table, (${row})::text AS row FROM "${table}" t`
}).join(' UNION ALL ')
/** Everything in the database that an act may change, and the files that it may delete. */
const everything = async (): Promise<string> => {
  const { rows } = await team().database.sql(`${EVERYTHING} ORDER BY 1, 2`)
  return JSON.stringify([rows, recordingFiles()])
}
/** The server answers about a session before it has stored the session's first process. */
const sessionsAreNoted = (): Promise<true> =>
  until('the first processes of all sessions', async () => {
    const where = { endedAt: null, leader: null }
    return (await team().database.prisma.terminalSession.count({ where })) === 0
  })
/** The rows after this one, oldest first. */
const since = async (id: string): Promise<AuditEvent[]> =>
  (await auditOf(team(), team().admin)).filter((event) => event.id > id).toReversed()
const asExpected = ({ action, actor, target, detail }: AuditEvent, { detail: facts }: Expected): Expected => ({
  action: action as Expected['action'],
  actor: actor.email,
  target: target?.name ?? null,
  ...(facts ? { detail } : {}),
})

describe('the audit log', () => {
  it.each(ACTS)('records %s, and refuses it when the database refuses the row', async (_name, answered, prepare) => {
    const { perform, rows } = await prepare(team())
    await sessionsAreNoted()
    const [before, askedBefore] = [await everything(), asked.length]
    probes.mockClear()
    const refused = await whileAuditIsRefused(team().database, perform)
    expect(refused).toEqual(answered === 1000 ? { status: 1011 } : { status: 503, code: 'AUDIT_REFUSED' })
    expect(await everything()).toBe(before)
    expect(asked.slice(askedBefore)).toEqual([])
    expect(probes).not.toHaveBeenCalled()

    const last = (await auditOf(team(), team().admin))[0]?.id ?? ''
    expect((await perform()).status).toBe(answered)
    const events = await until('the rows', async () => {
      const found = await since(last)
      return found.length >= rows.length ? found : null
    })
    expect(events.map((event, at) => asExpected(event, rows[at] ?? rows[0]!))).toMatchObject(rows)
    expect(events).toHaveLength(rows.length)
    for (const { action } of rows) seen.add(action)
    for (const { actor, requestId } of events) {
      expect(actor.address).toBe('127.0.0.1')
      expect(requestId).not.toBeNull()
    }
  })

  it('knows no action that is not among these, but for what the platform does by itself', () => {
    const all = [...seen, ...Object.keys(BY_THE_PLATFORM)]
    expect(all.toSorted()).toEqual(Object.keys(AUDIT_ACTIONS).toSorted())
  })
})
