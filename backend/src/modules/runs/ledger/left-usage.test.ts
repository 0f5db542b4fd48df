import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { RunHappening } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { RESULT } from '../../../../test/support/headless/claude.ts'
import { as } from '../../../../test/support/people/team.ts'
import { share, useLedger } from '../../../../test/support/runs/ledger.ts'
import { silentLog } from '../../../lib/log.ts'
import { LeftRuns, type LeftRunDeps } from '../left-runs.ts'
import { LineRepository } from '../line/repository.ts'
import type { Held } from '../repository.ts'
import type { Entry } from '../transcript/entry.ts'
import { TranscriptWriter } from '../transcript/file.ts'

const MODEL = 'claude-opus-5'

const { team, repository, rows, active, agentOf, someUser } = useLedger()
const folder = (): string => join(team().dataDir, 'transcripts')
const line = (): LineRepository => new LineRepository(team().database.prisma)

const entry = (seq: number, raw: object | null, happening: RunHappening): Entry => ({
  ...{ at: 1000, raw: raw && JSON.stringify(raw), isCut: false, from: 'stdout', offsets: { stdout: 100, stderr: 0 } },
  events: [{ seq, at: '2026-11-25T12:00:00.000Z', ...happening }],
})
/** The last line of a process that cost so much. */
const result = (seq: number, costUsd: number): Entry =>
  entry(
    seq,
    { ...RESULT, modelUsage: { [MODEL]: { inputTokens: 100, costUSD: costUsd } }, total_cost_usd: costUsd },
    { type: 'text', text: 'Done.' },
  )
const write = async ({ id, generation }: Held, ...entries: Entry[]): Promise<void> => {
  const after = generation > 3 ? { generation: 3, bytes: Infinity } : null
  const writer = await TranscriptWriter.begin(folder(), id, { generation, after })
  await writer.append(entries)
  await writer.close()
}

/** A run whose first process was taken over twice and cost half a dollar, and whose second process begins to start. */
const startingAgain = async () => {
  const user = await someUser()
  const id = await active(user, await agentOf(user), { provider: 'claude-code', waitsForLimit: true })
  for (const generation of [1, 2]) expect(await repository().takeOver({ id, generation })).toBe(generation + 1)
  await write({ id, generation: 3 }, result(1, 0.5))
  const used = { usage: [share(MODEL)], totals: [] }
  const wait = { continuesAt: new Date(), cliSessionId: 'cli', lastSeq: 1, ...used }
  expect(await line().wait({ id, generation: 3 }, wait)).toBe(true)
  expect(await line().begin((await repository().byId(id))!, randomUUID(), new Date(), null)).toBe(4)
  return { user, id }
}

const left = (): LeftRuns =>
  new LeftRuns({
    repository: repository(),
    line: line(),
    holder: { conductorOf: () => null },
    agentRows: { byId: () => Promise.resolve(null) },
    folder: folder(),
    ended: () => undefined,
    log: silentLog,
  } as unknown as LeftRunDeps)

describe('a task whose next process was starting when its server was killed', () => {
  it('starts again, however often it was taken over before', async () => {
    const { id } = await startingAgain()
    await left().gone((await repository().byId(id))!.sessionId, 'server_killed')
    expect(await repository().byId(id)).toMatchObject({ state: 'queued', endedAt: null })
    expect(await rows(id)).toMatchObject([{ costUsd: 0.5 }])
  })

  it('costs what its earlier process has cost, once, if it has begun to start too often', async () => {
    const { id } = await startingAgain()
    await team().database.prisma.codingRun.update({ where: { id }, data: { generation: 7 } })
    await left().gone((await repository().byId(id))!.sessionId, 'server_killed')
    expect(await repository().byId(id)).toMatchObject({ state: 'failed', reason: 'lost', costUsd: 0.5, lastSeq: 1 })
    expect(await rows(id)).toMatchObject([{ costUsd: 0.5 }])
  })
})

describe('a task that a user stops while no server follows it', () => {
  it('costs what its earlier process and its last one have cost', async () => {
    const { user, id } = await startingAgain()
    const held = { id, generation: 4 }
    expect(await repository().running(held)).toBe(true)
    const resumed = entry(2, null, { type: 'status', status: 'resumed', message: 'The task continues.' })
    await write(held, resumed, result(3, 0.25))
    expect((await as(team(), user)(`DELETE /coding-agents/sessions/${id}`)).statusCode).toBe(202)
    expect(await rows(id)).toMatchObject([{ model: MODEL, inputTokens: 200n, costUsd: 0.75 }])
    expect(await repository().byId(id)).toMatchObject({ reason: 'terminated', costUsd: 0.75, lastSeq: 3 })
  })

  it('costs nothing more if its next process has said nothing yet', async () => {
    const { user, id } = await startingAgain()
    expect((await as(team(), user)(`DELETE /coding-agents/sessions/${id}`)).statusCode).toBe(202)
    expect(await rows(id)).toMatchObject([{ costUsd: 0.5 }])
    expect(await repository().byId(id)).toMatchObject({ reason: 'terminated', costUsd: 0.5 })
  })
})
