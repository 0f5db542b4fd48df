import { until } from '@slipway/testing'
import { describe, expect, it } from 'vitest'
import { bootApp } from '../../../../test/support/server/app.ts'
import { useDatabase } from '../../../../test/support/database/test-database.ts'
import { MemoryEngine } from '../../../../test/support/engine/memory-engine.ts'
import { call, setUpAdmin, signIn } from '../../../../test/support/people/people.ts'
import { systemAgentSettled } from '../../../../test/support/people/team.ts'
import { type Log, silentLog } from '../../../lib/log.ts'
import { RuntimeError } from '../../../runtime/errors.ts'
import type { ContainerRuntime, EngineComponent, RunResult } from '../../../runtime/port.ts'
import { SystemWarnings } from './warnings.ts'

const OLD_RUNC: EngineComponent[] = [{ name: 'runc', version: '1.1.12', build: 'v1.1.12-0-g51d5e946' }]
const OF_2025 = ['CVE-2025-31133', 'CVE-2025-52565', 'CVE-2025-52881']
const ended = (exitCode: number): RunResult => ({ exitCode, stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) })

/** Where no agent shares its user id. */
const newWarnings = (runtime: Pick<ContainerRuntime, 'components' | 'run'>, log = silentLog): SystemWarnings =>
  new SystemWarnings({ runtime, log, countSharingUid: () => Promise.resolve(0) })

const database = useDatabase()

describe('the warnings about an engine with known holes', () => {
  it('are given and logged although the image of the system agent is missing, so that it never runs', async () => {
    const lines: string[] = []
    const runtime = {
      ...new MemoryEngine().runtime,
      components: () => Promise.resolve(OLD_RUNC),
      launch: () => Promise.reject(new RuntimeError('image_missing', 'there is no such image')),
    }
    const server = await bootApp(database(), { runtime, logStream: { write: (line) => void lines.push(line) } })
    try {
      const admin = await setUpAdmin(server)
      const codes = await until('the look at the engine', async () => {
        const answer = await call(server.app, 'GET /system-agent/warnings', { token: admin.token })
        const { items } = answer.json<{ items: { code: string }[] }>()
        return items.length > 0 && items.map(({ code }) => code)
      })
      expect(codes).toEqual(OF_2025)
      const agent = await systemAgentSettled({ ...server, admin })
      expect(agent).toMatchObject({ state: 'failed', reason: { code: 'image_missing' } })
      const logged = lines.map((line) => JSON.parse(line) as { level: number; code?: string; msg: string })
      const warned = logged.filter(({ code }) => code?.startsWith('CVE-'))
      expect(warned.map(({ code }) => code)).toEqual(OF_2025)
      expect(warned[0]).toMatchObject({
        level: 40,
        msg: expect.stringContaining('Update the container engine') as string,
      })
    } finally {
      await server.app.close()
    }
  })

  it('are logged once by overlapping checks, and checked again after a failed one', async () => {
    const logged: string[] = []
    const log: Log = { ...silentLog, warn: ({ code }: { code: string }) => void logged.push(code) } as Log
    const answers: PromiseWithResolvers<EngineComponent[]>[] = []
    const components = (): Promise<EngineComponent[]> => {
      const answer = Promise.withResolvers<EngineComponent[]>()
      answers.push(answer)
      return answer.promise
    }
    const warnings = newWarnings({ components, run: () => Promise.resolve(ended(0)) }, log)

    const failed = warnings.look(null)
    answers[0]?.reject(new RuntimeError('engine_unavailable', 'not yet'))
    await failed
    expect(warnings.all).toEqual([])

    const looks = [warnings.look(null), warnings.look('container'), warnings.look('container')]
    expect(answers).toHaveLength(4)
    for (const answer of answers) answer.resolve(OLD_RUNC)
    await Promise.all(looks)
    const codes = ['link_local_open', ...OF_2025]
    expect(logged.toSorted()).toEqual(codes.toSorted())
    expect(warnings.all.map(({ code }) => code)).toEqual(codes)

    await warnings.look('container')
    expect(answers).toHaveLength(4)
  })

  it('tell of the network only what was tried: nothing if the container could not try', async () => {
    const tries = [Promise.reject(new RuntimeError('not_running', 'it stopped')), Promise.resolve(ended(1))]
    const run = (): Promise<RunResult> => tries.shift() ?? Promise.reject(new Error('tried again'))
    const warnings = newWarnings({ components: () => Promise.resolve([]), run })
    for (const container of ['first', 'second', 'third']) await warnings.look(container)
    expect(warnings.all).toEqual([])
    expect(tries).toEqual([])
  })

  it('come with the worst first, in whatever order they were found', async () => {
    const components: EngineComponent[] = [
      { name: 'runc', version: '1.1.11', build: 'v1.1.11-0-g4bccb38' },
      { name: 'runc', version: '1.1.5+ds1', build: '1.1.5+ds1-1+deb12u1' },
    ]
    for (const runc of components) {
      const runtime = { components: () => Promise.resolve([runc]), run: () => Promise.resolve(ended(0)) }
      const warnings = newWarnings(runtime)
      await warnings.look(null)
      const before = warnings.all.map(({ code }) => code)
      expect(before).toEqual(['CVE-2024-21626', ...OF_2025])
      await warnings.look('container')
      expect(warnings.all.map(({ code }) => code)).toEqual(['link_local_open', ...before])
      expect(new Set(warnings.all.map(({ subject }) => subject)).size).toBe(2)
    }
  })
})

describe('the warning about agents that share a user id', () => {
  const asked = async (counts: readonly number[]) => {
    const logged: string[] = []
    const log = { ...silentLog, warn: (_: object, message: string) => void logged.push(message) } as Log
    const left = [...counts]
    const countSharingUid = (): Promise<number> => {
      const count = left.shift()
      return count === undefined ? Promise.reject(new Error('the database is away')) : Promise.resolve(count)
    }
    const runtime = { components: () => Promise.resolve([]), run: () => Promise.resolve(ended(1)) }
    const warnings = new SystemWarnings({ runtime, log, countSharingUid })
    await warnings.look(null)
    return { warnings, logged, left }
  }

  it('names the limit of the kernel in one sentence, on the page and in the log', async () => {
    const { warnings, logged } = await asked([3])
    expect(warnings.all).toMatchObject([{ code: 'shared_uid', severity: 'medium', subject: 'agents' }])
    const [{ message } = { message: '' }] = warnings.all
    expect(message).toMatch(/^3 agents [^.]*fs\.inotify\.max_user_instances[^.]*sysctl[^.]*\.$/)
    expect(logged).toEqual([message])
  })

  it.each([0, 1])('is not given where nothing is shared: %i agents', async (count) => {
    const { warnings, logged } = await asked([count])
    expect([...warnings.all, ...logged]).toEqual([])
  })

  it('is looked for again where the database did not answer', async () => {
    const { warnings, left } = await asked([])
    expect(warnings.all).toEqual([])
    left.push(2)
    await warnings.look(null)
    expect(warnings.all).toHaveLength(1)
  })

  it('counts the agents of an earlier version', async () => {
    const server = await bootApp(database(), { runtime: new MemoryEngine().runtime })
    try {
      const admin = await setUpAdmin(server)
      await systemAgentSettled({ ...server, admin })
      const { prisma } = database()
      const old = (name: string) => ({ name, runtime: 'claude-code', cpus: 1, memoryMb: 256 })
      await prisma.agent.createMany({ data: [old('a'), old('b')] })
    } finally {
      await server.app.close()
    }
    const again = await bootApp(database(), { runtime: new MemoryEngine().runtime })
    try {
      const admin = await signIn(again, 'admin@example.org')
      const answer = await call(again.app, 'GET /system-agent/warnings', { token: admin.token })
      const { items } = answer.json<{ items: { code: string; message: string }[] }>()
      const messages = items.filter(({ code }) => code === 'shared_uid').map(({ message }) => message)
      expect(messages).toEqual([expect.stringMatching(/^2 agents of an earlier version/)])
    } finally {
      await again.app.close()
    }
  })
})
