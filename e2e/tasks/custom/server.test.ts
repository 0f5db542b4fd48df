/** What a custom provider's CLI means for the server: its memory, its environment, and its end. */
import { readFileSync } from 'node:fs'
import type { CodingSession } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { inLongForm, longIt } from '@slipway/testing/forms'
import { beforeAll, expect, it } from 'vitest'
import { useOwnServer } from '../../support/own-server.ts'
import { endedTask, eventsOf, startTask, taskOf } from '../../support/tasks/follow.ts'
import { sh } from '../../support/tasks/model.ts'
import { agentWithStub, leftIn, stubProvider } from '../../support/tasks/stub.ts'

/** Variables of the server's own environment that no program in an agent may see. */
const OWN = {
  CLAUDECODE: '1',
  CLAUDE_CODE: '1',
  ADMIN_KEY: 'of-the-server',
  JWT_SECRET: 'of-the-server',
  ANTHROPIC_API_KEY: 'of-the-server',
}
/** Far below the gigabyte that a CLI prints, far above what the server needs at a time. In bytes. */
const GROWTH_MAX = 300 * 1024 * 1024

/** Longest time of a gigabyte, in seconds. On an idle machine it takes six. */
const FLOOD_SECONDS = 240

const own = useOwnServer(OWN)
let agent = ''

beforeAll(async () => {
  agent = await agentWithStub(own.admin)
})

const start = (name: string, prompt: string, more: object = {}): Promise<CodingSession> =>
  startTask(own.admin, { agent, provider: `custom:${name}`, prompt, ...more })
/** The memory of the server, in bytes. */
const resident = (): number => {
  const status = readFileSync(`/proc/${own.pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024
}

it('a CLI sees the variables of every session, and none of the server', async () => {
  const { name } = await stubProvider(own.admin)
  const { result } = await endedTask(own.admin, (await start(name, '@env')).id)
  const seen = Object.keys(JSON.parse(result ?? '') as object).toSorted()
  const image = (await sh(own.admin, agent, 'tr "\\0" "\\n" </proc/1/environ | cut -d= -f1')).trim().split('\n')
  const session = ['HOME', 'LANG', 'LOGNAME', 'PATH', 'PWD', 'SHELL', 'SHLVL', 'SLIPWAY_SESSION', 'USER', '_']
  const allowed = new Set([...image, ...session])
  expect(seen.filter((variable) => !allowed.has(variable))).toEqual([])
  expect(seen).toEqual(expect.arrayContaining(['HOME', 'PATH', 'SLIPWAY_SESSION']))
  for (const variable of Object.keys(OWN)) expect(seen).not.toContain(variable)
})

// The short form has a line that grows without an end, and one of 50 MB. A gigabyte of short lines takes half a minute.
it.each<[prompt: string, format: string, end: string]>([
  ['@longer-line', 'json', 'completed'],
  ['@endless-line', 'text', 'timed_out'],
  ...inLongForm<[string, string, string]>([
    ['@gigabyte', 'stream-json', 'completed'],
    ['@gigabyte', 'text', 'completed'],
    ['@gigabyte', 'json', 'completed'],
    ['@longer-line', 'text', 'completed'],
  ]),
])(
  'a CLI that prints %s as %s does not fill the memory of the server',
  { timeout: 1_000 * FLOOD_SECONDS + 60_000 },
  async (prompt, output_format, reason) => {
    const { id: providerId, name } = await stubProvider(own.admin, {
      output_format,
      default_args: ['--via', 'stdin', ...(output_format === 'text' ? ['--text'] : [])],
    })
    const seconds = reason === 'timed_out' ? 4 : FLOOD_SECONDS
    const { id } = await start(name, prompt, { timeout_seconds: seconds })
    let most = 0
    const before = resident()
    await until(
      'the end of the task',
      async () => {
        most = Math.max(most, resident())
        return (await taskOf(own.admin, id)).completedAt !== null
      },
      FLOOD_SECONDS * 1_000,
    )
    const task = await taskOf(own.admin, id)
    expect(task.reason).toBe(reason)
    expect(most - before).toBeLessThan(GROWTH_MAX)
    expect(task.result?.length ?? 0).toBeLessThanOrEqual(65_536)
    await expect.poll(() => leftIn(own.admin, agent)).toEqual([])
    await own.admin.ok('DELETE', `/cli-providers/${providerId}`)
  },
)

// `../killed-server.test.ts` has a custom provider whose task goes on over a killed server.
longIt('a task goes on over a killed server, although its provider was changed and deleted meanwhile', async () => {
  const { id: providerId, name } = await stubProvider(own.admin)
  const { id } = await start(name, '@wait @twice')
  await until('its first words', async () => (await taskOf(own.admin, id)).lastSeq === 2)
  const before = await eventsOfActive(id)
  await own.admin.ok('PUT', `/cli-providers/${providerId}`, {
    output_format: 'text',
    display_name: 'Other',
    binary: 'cat',
  })
  await own.admin.ok('DELETE', `/cli-providers/${providerId}`)
  await own.end('SIGKILL')
  await own.start()
  await until('the task to be taken up', async () => (await taskOf(own.admin, id)).lastSeq === 2)
  await sh(own.admin, agent, 'touch go-on')
  const end = { state: 'completed', reason: 'completed', result: 'Second.', displayName: 'Stub', costUsd: 0.1 }
  expect(await endedTask(own.admin, id)).toMatchObject(end)
  const all = await eventsOf(own.admin, id)
  expect(all.slice(0, 2)).toEqual(before)
  expect(all.map(({ type }) => type)).toEqual(['status', 'text', 'result', 'result'])
})

/** The first two events of a task that goes on. */
const eventsOfActive = async (id: string): Promise<unknown[]> => {
  const response = await fetch(`${own.admin.baseUrl}/api/coding-agents/sessions/${id}/events`, {
    headers: { authorization: `Bearer ${own.admin.token}` },
  })
  const lines: string[] = []
  let rest = ''
  const reader = response.body!.getReader()
  while (lines.length < 2) {
    const { done, value } = await reader.read()
    if (done) break
    rest += Buffer.from(value).toString()
    const parts = rest.split('\n')
    rest = parts.pop() ?? ''
    lines.push(...parts.filter((line) => line !== ''))
  }
  await reader.cancel()
  return lines.slice(0, 2).map((line) => JSON.parse(line) as unknown)
}
