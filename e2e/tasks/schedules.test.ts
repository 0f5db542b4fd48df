/** Schedules and their tasks. */
import type { CodingResults, CodingSession, Schedule } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import { describe, expect, it } from 'vitest'
import { useServerToKill } from '../support/shared-server.ts'
import { endedTask } from '../support/tasks/follow.ts'
import { agentWithModel } from '../support/tasks/model.ts'
import { agentWithStub } from '../support/tasks/stub.ts'

const BASE = '/coding-agents/schedules'
const own = useServerToKill()

/** Longer than a minute, the smallest step of a cron expression, and the start of a task. */
const NEXT_MINUTE_MS = 120_000
/** The next full minute that leaves time for a restart of the server, each day at that time. */
const soon = (): string => {
  const at = new Date(Date.now() + 80_000)
  return `${at.getUTCMinutes()} ${at.getUTCHours()} * * *`
}

describe('a schedule', () => {
  // It waits for a full minute. `backend/src/modules/runs/schedules` has the time and the stopped servers, with a clock.
  longIt('starts one task at its time, although the server was killed before', async () => {
    const { name: agent } = await agentWithModel(own.admin, { '@scheduled': [{ say: 'On time.' }] })
    const body = { name: 'Soon', agent, prompt: '@scheduled', cron: soon() }
    const schedule = await own.admin.ok<Schedule>('POST', BASE, body)
    await own.end('SIGKILL')
    await own.start()
    const { lastRun, lastSkipped, nextRuns } = await until(
      'the run',
      async () => {
        const now = await own.admin.ok<Schedule>('GET', `${BASE}/${schedule.id}`)
        return now.nextRuns[0] !== schedule.nextRuns[0] && now
      },
      NEXT_MINUTE_MS,
    )
    expect(lastSkipped).toBeNull()
    expect(nextRuns.slice(0, 4)).toEqual(schedule.nextRuns.slice(1))
    // Killed once more, between the line and the task or in it.
    await own.end('SIGKILL')
    await own.start()
    const task = await endedTask(own.admin, lastRun?.id ?? '')
    expect(task).toMatchObject({ reason: 'completed', result: 'On time.', scheduleId: schedule.id })
    const results = await own.admin.ok<CodingResults>('GET', `/coding-agents/results?schedule=${schedule.id}`)
    expect(results.items.map(({ id }) => id)).toEqual([lastRun?.id])
    await own.admin.ok('DELETE', `${BASE}/${schedule.id}`)
  })

  it('starts its task when its user wants it', async () => {
    const provider = 'claude-code'
    const agent = await agentWithStub(own.admin, provider)
    const body = { name: 'Off', agent, provider, prompt: '@cost', cron: '0 9 * * *', enabled: false }
    const { id } = await own.admin.ok<Schedule>('POST', BASE, body)
    const task = await own.admin.ok<CodingSession>('POST', `${BASE}/${id}/run`)
    expect(await endedTask(own.admin, task.id)).toMatchObject({ reason: 'completed', result: 'All.', scheduleId: id })
    expect(await own.admin.ok<Schedule>('GET', `${BASE}/${id}`)).toMatchObject({
      nextRuns: [],
      lastRun: { id: task.id, state: 'completed', reason: 'completed' },
    })
  })
})
