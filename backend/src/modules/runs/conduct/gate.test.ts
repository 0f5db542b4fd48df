import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ValidationCheck } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { beginRun, COLLECTED, type Gated, RUN_ID } from '../../../../test/support/runs/conducted-run.ts'
import type { Judged } from '../gate/judged.ts'
import type { Answer, Asked, Cut } from '../gate/gates.ts'
import type { Gate } from '../gate/standing.ts'
import { readTranscript } from '../transcript/file.ts'

let folder = ''
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'slipway-gate-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const GATE: Gate = { repairs: 2, begun: 0, limitUsd: null, isAgain: false }
const judged = (state: Judged['state'], reason: Judged['reason'] = null, checks: ValidationCheck[] = []): Answer => ({
  ...{ kind: 'judged', state, reason, message: reason },
  evidence: { root: '/home/developer', kind: 'root', manager: 'npm', managerFrom: 'default', checks },
  personal: false,
})
/** A validator that answers when it is told to, or when it is cut off. */
const held = () => {
  const asked: Asked[] = []
  const answer = Promise.withResolvers<Answer>()
  const judge: NonNullable<Gated['judge']> = (one) => {
    asked.push(one)
    one.signal.addEventListener('abort', () => answer.resolve(judged('not_verified', 'cancelled')))
    return answer.promise
  }
  return { asked, judge, answer: answer.resolve }
}
const begin = (gated: Gated, more: Parameters<typeof beginRun>[1] = {}) =>
  beginRun(folder, more, undefined, {}, { gate: GATE, ...gated })
/** A run whose program has done its work. */
const done = async (gated: Gated, more: Parameters<typeof beginRun>[1] = {}) => {
  const run = await begin(gated, more)
  run.prints('over\n')
  run.exits(0)
  return run
}
const answered = (answer: Answer, gated: Gated = {}) => done({ judge: () => Promise.resolve(answer), ...gated })
const told = async (): Promise<string[]> => {
  const events: string[] = []
  for await (const { entry } of readTranscript(folder, RUN_ID))
    for (const event of entry.events)
      if (event.type === 'validation') events.push(`${event.state} ${event.repair ?? '-'}`)
  return events
}

describe('a run with a gate', () => {
  it('is validated before its end, with everything stored and its changes collected', async () => {
    const { asked, judge, answer } = held()
    const run = await done({ judge })
    await until('the validation', () => asked.length > 0)
    expect([run.ends, run.recorded, await told()]).toEqual([[], ['changes collected'], ['running -']])
    expect(asked[0]?.held).toEqual({ id: RUN_ID, generation: 1 })
    answer(judged('passed'))
    await run.conductor.done
    expect(run.ends).toMatchObject([{ state: 'completed', reason: 'completed', lastSeq: 3, ...COLLECTED }])
    expect(await told()).toEqual(['running -', 'passed -'])
  })

  it('goes back into the line with the prompt of a repair, and without an end', async () => {
    const run = await answered(judged('failed'))
    await run.conductor.done
    expect([run.ends, run.told]).toEqual([[], []])
    expect(run.repairs).toMatchObject([{ repair: 1, cliSessionId: 'cli', lastSeq: 3, usage: [{ costUsd: 1 }] }])
    expect(run.repairs[0]?.prompt).toContain('repair 1 of 2')
    expect(run.recorded).not.toContain('changes left')
    expect(run.recorded).toContain('repair of 1 in line')
    expect(run.done).toEqual(['hung up'])
    expect(run.live.isOver).toBe(false)
    expect(await told()).toEqual(['running -', 'failed 1'])
  })

  it('has the commands of its validation among its events, and what they printed if that is not kept from others', async () => {
    const result = { exitCode: 1, durationMs: 5, tests: null, reason: null, output: 'Expected 5.', truncated: false }
    const check: ValidationCheck = {
      ...{ argv: ['npm', 'run', 'test'], folder: 'web', kind: 'test', package: 'web' },
      ...{ after: result, before: { ...result, exitCode: 0, reason: 'timed_out' } },
    }
    const failed = judged('failed', null, [check])
    const run = await answered(failed, { gate: { ...GATE, begun: 2 } })
    await run.conductor.done
    const commands = async () => {
      const found: unknown[] = []
      for await (const { entry } of readTranscript(folder, RUN_ID))
        for (const event of entry.events)
          if (event.type === 'command') found.push([event.command, event.state, event.exitCode, event.output])
      return found
    }
    expect(await commands()).toEqual([
      ['npm run test  # in web', 'ended', 1, 'Expected 5.'],
      ['npm run test  # in web, at the start of the task, timed out', 'ended', 0, 'Expected 5.'],
    ])
    rmSync(folder, { recursive: true })
    const personal = { ...failed, personal: true } as Answer
    const other = await answered(personal, { gate: { ...GATE, begun: 2 } })
    await other.conductor.done
    expect(await commands()).toMatchObject([{ 3: '' }, { 3: '' }])
  })

  it('is in the metrics with what its process has used before a repair, too', async () => {
    const run = await answered(judged('failed'))
    await run.conductor.done
    expect(await run.figures()).toMatch(/^slipway_tasks_cost_usd_total\{provider="claude-code"\} 1$/m)
    expect(await run.figures()).not.toContain('slipway_tasks_ended_total{')
  })

  it('fails after its last repair', async () => {
    const run = await answered(judged('failed'), { gate: { ...GATE, begun: 2 } })
    await run.conductor.done
    expect(run.ends).toMatchObject([{ state: 'failed', reason: 'validation_failed', exitCode: 0, result: 'over' }])
  })

  it('fails if the database does not take its repair', async () => {
    const run = await answered(judged('failed'), { canRepair: false })
    await run.conductor.done
    expect(run.ends).toMatchObject([{ state: 'failed', reason: 'validation_failed' }])
  })

  it('fails if its budget leaves nothing for a repair', async () => {
    const run = await answered(judged('failed'), { gate: { ...GATE, limitUsd: 1 } })
    await run.conductor.done
    expect(run.ends).toMatchObject([{ state: 'failed', error: expect.stringContaining('budget') as string }])
  })

  it('is not validated if it has failed by itself', async () => {
    const { asked, judge } = held()
    const run = await begin({ judge })
    run.prints('over\n')
    run.exits(3)
    await run.conductor.done
    expect([asked, run.ends]).toMatchObject([[], [{ state: 'failed', reason: 'exit_code' }]])
  })

  it.each<[string, (run: Awaited<ReturnType<typeof done>>) => void, string]>([
    ['a user ends it', (run) => run.conductor.terminate('ann@example.org'), 'terminated'],
    [
      'its agent is deleted',
      (run) => run.loses({ reason: 'agent_deleted', message: 'It was deleted.', code: 4004 }),
      'agent_deleted',
    ],
  ])('ends at once with its validation when %s', async (_why, end, reason) => {
    const { asked, judge } = held()
    const run = await done({ judge })
    await until('the validation', () => asked.length > 0)
    end(run)
    await run.conductor.done
    expect(asked[0]?.signal.reason).toBe('ended' satisfies Cut)
    expect(run.ends).toMatchObject([{ state: 'terminated', reason, ...COLLECTED }])
    expect(run.repairs).toEqual([])
  })

  it('is left to the next server when this one stops, with the exit of its program', async () => {
    const { asked, judge } = held()
    const run = await done({ judge })
    await until('the validation', () => asked.length > 0)
    await run.conductor.letGo()
    expect(asked[0]?.signal.reason).toBe('let_go' satisfies Cut)
    expect(run.done).toEqual(['released'])
    expect([run.ends, run.repairs]).toEqual([[], []])
  })

  it('is validated again by the next server, which says so', async () => {
    const run = await answered(judged('passed'), { gate: { ...GATE, isAgain: true } })
    await run.conductor.done
    expect(run.ends).toMatchObject([{ state: 'completed' }])
  })

  it('is looked for again when the engine is lost while it is validated', async () => {
    const run = await answered({ kind: 'engine_unavailable' })
    await run.conductor.done
    expect([run.ends, run.recorded.slice(1)]).toEqual([[], ['place freed', 'session let go']])
  })

  it('fails if its agent is stopped before it is validated', async () => {
    const run = await answered(judged('not_verified', 'agent_stopped'))
    await run.conductor.done
    expect(run.ends).toMatchObject([{ state: 'failed', reason: 'not_verified' }])
  })
})
