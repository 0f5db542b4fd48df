import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RecordingState } from '@slipway/protocol'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { DAY_MS } from '../../../lib/time/clock.ts'
import { TestClock } from '../../../../test/support/clock.ts'
import { useDatabase } from '../../../../test/support/database/test-database.ts'
import { expiryOf, type Keeping } from '../../../lib/time/keeping.ts'
import { silentLog } from '../../../lib/log.ts'
import { AgentRepository } from '../../agents/repository.ts'
import { createAudit } from '../../audit/audit.ts'
import { createIds } from '../../../lib/ids.ts'
import { RecordingFiles } from './files.ts'
import { CUT_MARK } from './marks.ts'
import { RecordingRepository } from './repository.ts'
import { Retention } from './retention.ts'

const database = useDatabase()
const clock = new TestClock()
const ids = createIds(clock)
let dataDir: string
let agentId: string

beforeEach(async () => {
  const { prisma } = database()
  dataDir = mkdtempSync(join(tmpdir(), 'slipway-retention-'))
  const agent = { name: 'a', runtime: 'bash', cpus: 1, memoryMb: 64 }
  agentId = (await prisma.agent.create({ data: agent })).id
})

afterEach(() => rmSync(dataDir, { recursive: true }))

const fileOf = (id: string): string => join(dataDir, 'recordings', `${id}.cast`)

/** Adds a recording that began, and ended, so many days ago. */
const add = async (days: number, bytes = 10, state: RecordingState = 'complete'): Promise<string> => {
  const id = ids()
  const startedAt = new Date(clock.now() - days * DAY_MS)
  const data = { id, agentId, email: 'a@example.org', mode: 'bash', startedAt, bytes, state }
  await database().prisma.recording.create({ data: { ...data, endedAt: state === 'recording' ? null : startedAt } })
  mkdirSync(join(dataDir, 'recordings'), { recursive: true })
  writeFileSync(fileOf(id), 'x')
  return id
}

const sweep = async (keeping: Partial<Keeping>, files = new RecordingFiles(dataDir)): Promise<string[]> => {
  const { prisma } = database()
  const closed: string[] = []
  const audit = createAudit({ prisma, clock, newId: ids, log: silentLog })
  const retention = new Retention({
    repository: new RecordingRepository(prisma, audit),
    files,
    recorder: {
      ids: [],
      closeLeft: (id, mark) => {
        closed.push(`${id} ${mark}`)
        return Promise.resolve({ bytes: 7, atMs: 1500 })
      },
    },
    agents: new AgentRepository(prisma, audit, 'slipway'),
    keeping: { days: null, totalBytes: 1e9, ...keeping },
    clock,
    log: silentLog,
  })
  await retention.sweep()
  await retention.stop()
  return closed
}
const left = async (): Promise<string[]> =>
  (await database().prisma.recording.findMany({ orderBy: { id: 'asc' } })).map(({ id }) => id)

it('says when age ends a recording, and nothing for a running one, or if none is too old', () => {
  const endedAt = new Date(clock.now())
  expect(expiryOf({ endedAt }, { days: 0.5 })).toEqual(new Date(clock.now() + DAY_MS / 2))
  expect(expiryOf({ endedAt }, { days: null })).toBeNull()
  expect(expiryOf({ endedAt: null }, { days: 30 })).toBeNull()
})

it('keeps recordings for their days, and says in the audit log what it deleted', async () => {
  const [old, young] = [await add(31), await add(29)]
  await sweep({ days: 30 })
  expect(await left()).toEqual([young])
  expect([existsSync(fileOf(old)), existsSync(fileOf(young))]).toEqual([false, true])
  const events = await database().prisma.auditEvent.findMany({ where: { action: 'recording.deleted' } })
  expect(events.filter(({ targetId }) => targetId === agentId)).toMatchObject([
    { via: 'platform', targetName: 'a', detail: { recordingId: old, because: 'too_old' } },
  ])
})

it('deletes the oldest where all of them are too large, and none that is being written', async () => {
  await add(5, 40)
  await add(4, 40)
  const [running, newest] = [await add(3, 40, 'recording'), await add(0, 40)]
  const session = { id: running, agentId, mode: 'bash' }
  const user = await database().prisma.user.create({ data: { email: 'a@example.org' } })
  await database().prisma.terminalSession.create({ data: { ...session, userId: user.id } })
  await sweep({ totalBytes: 100 })
  expect(await left()).toEqual([running, newest])
  await sweep({ totalBytes: 0 })
  expect(await left()).toEqual([running])
})

it('closes what a killed server left, where the session is over', async () => {
  const id = await add(1, 0, 'recording')
  expect(await sweep({})).toEqual([`${id} ${CUT_MARK}`])
  const row = await database().prisma.recording.findUniqueOrThrow({ where: { id } })
  expect(row).toMatchObject({ state: 'cut', bytes: 7, durationMs: 1500 })
  expect(row.endedAt).not.toBeNull()
})

it('removes files without a row, and rows without a file', async () => {
  const [kept, stray] = [await add(0), randomUUID()]
  writeFileSync(fileOf(stray), 'x')
  writeFileSync(join(dataDir, 'recordings', 'notes.txt'), 'not ours')
  const data = { id: ids(), agentId, email: 'a@example.org', mode: 'bash', state: 'complete' } as const
  await database().prisma.recording.create({ data: { ...data, startedAt: new Date(clock.now()) } })
  await sweep({})
  expect(await left()).toEqual([kept])
  expect([existsSync(fileOf(stray)), existsSync(fileOf(kept))]).toEqual([false, true])
  expect(existsSync(join(dataDir, 'recordings', 'notes.txt'))).toBe(true)
})

it('keeps what begins and ends while it looks', async () => {
  const kept: string[] = []
  class ListedEarly extends RecordingFiles {
    override async ids(): Promise<string[]> {
      const listed = await super.ids()
      kept.push(await add(0))
      return listed
    }
  }
  await sweep({}, new ListedEarly(dataDir))
  expect(await left()).toEqual(kept)
  expect(kept.map((id) => existsSync(fileOf(id)))).toEqual([true])
})
