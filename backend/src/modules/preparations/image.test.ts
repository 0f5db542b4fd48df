import { PATIENTLY } from '@slipway/testing'
import { expect, it, vi } from 'vitest'
import { silentLog } from '../../lib/log.ts'
import type { Found } from '../agents/service.ts'
import { Preparer, type PreparerDeps } from './preparer.ts'
import type { Act } from './repository.ts'
import { PreparationService, type PreparationServiceDeps } from './service.ts'
import { type StepDeps, Steps } from './steps.ts'

const SIGN_IN = '00000000-0000-4000-8000-000000000001'
const IMAGE = 'docker.example.org/other:1'
const ALL = { image: true, containerEnv: false, postCreateCommand: true }

/** A clone that offers an image and a set-up, whose agent runs in an older container. */
const scene = (state: 'waiting' | 'confirming', confirmed: typeof ALL | null) => {
  const found = {
    row: { id: 'atlas', name: 'atlas', image: IMAGE },
    caller: { userId: 'ada', email: 'ada@example.org', role: 'user', via: { kind: 'sign_in', signInId: SIGN_IN } },
  } as unknown as Found
  const offer = {
    ...{ path: '.devcontainer.json', problem: null, image: { name: IMAGE, isAllowed: true }, containerEnv: [] },
    ...{ postCreateCommand: [{ name: null, command: 'make' }], forwardPorts: [], unused: [] },
  }
  const row = {
    ...{ agentId: 'atlas', state: state as string, userId: 'ada', via: 'sign_in', viaId: SIGN_IN, error: null },
    ...{ url: 'https://example.org/api.git', ref: null, folder: 'api', isCloned: true, commit: null, branch: 'main' },
    ...{ setupCommand: null, taskPrompt: null, variables: null, offer, confirmed, output: '', changedAt: new Date() },
  }
  const turn = (_id: string, from: readonly string[], to: string, changes: object = {}) =>
    Promise.resolve(from.includes(row.state) ? { ...Object.assign(row, changes, { state: to }) } : null)
  const repository = {
    turn,
    find: () => Promise.resolve({ ...row }),
    act: (_act: Act, from: readonly string[], to: string, changes: object) => turn('', from, to, changes),
  }
  const container = { isOld: true }
  /** Whether each program ran in the old container. */
  const ran: boolean[] = []
  const agents = {
    view: () => ({ restartNeeded: container.isOld }),
    require: () => Promise.resolve(found),
    restart: vi.fn(() => {
      container.isOld = false
      return Promise.resolve({ done: Promise.resolve() })
    }),
  }
  const run = () => {
    ran.push(container.isOld)
    return Promise.resolve({ exitCode: 0, stdout: '', stderr: '', timedOut: false })
  }
  const steps = new Steps({
    ...{ repository, agents, reinstate: () => Promise.resolve(found), execs: { run }, newId: () => 'attempt' },
  } as unknown as StepDeps)
  const preparer = new Preparer({
    ...{ repository, steps, log: silentLog, board: { get: () => ({ runningId: 'container' }) } },
    ...{ recovered: () => Promise.resolve(true), provisioner: { secrets: () => Promise.resolve([]) } },
    news: { emit: () => undefined },
  } as unknown as PreparerDeps)
  const deps = { repository, preparer, agents, log: silentLog } as unknown as PreparationServiceDeps
  const ended = async (): Promise<string> => {
    await vi.waitUntil(() => row.state === 'ready' || row.state === 'failed', PATIENTLY)
    return row.state
  }
  return { row, container, ran, agents, repository, preparer, ended, found, service: new PreparationService(deps) }
}

it('a set-up does not run in the image from before the one that was confirmed, and does after the restart', async () => {
  const { row, container, ran, preparer, ended, found, service } = scene('waiting', ALL)
  preparer.add('atlas')
  expect(await ended()).toBe('failed')
  expect([row.error, ran]).toEqual([expect.stringContaining('Restart the agent'), []])
  container.isOld = false
  await service.retry(found)
  expect(await ended()).toBe('ready')
  expect(ran).toEqual([false])
})

it('a set-up without the image of the repository runs in the container that is there', async () => {
  const { ran, preparer, ended } = scene('waiting', { ...ALL, image: false })
  preparer.add('atlas')
  expect(await ended()).toBe('ready')
  expect(ran).toEqual([true])
})

it('an image that is confirmed again restarts the agent that does not run in it yet', async () => {
  const { ran, agents, ended, found, service } = scene('confirming', null)
  await service.confirm(found, ALL)
  expect(await ended()).toBe('ready')
  expect([agents.restart.mock.calls.length, ran]).toEqual([1, [false]])
})

it('a set-up whose restart and whose next state are both refused fails, and does not wait for ever', async () => {
  const { row, ran, agents, repository, ended, found, service } = scene('confirming', null)
  agents.restart.mockRejectedValueOnce(new Error('no connection'))
  vi.spyOn(repository, 'turn').mockRejectedValueOnce(new Error('no connection'))
  await expect(service.confirm(found, ALL)).rejects.toThrow('no connection')
  expect(await ended()).toBe('failed')
  expect([row.error, ran]).toEqual([expect.stringContaining('Restart the agent'), []])
})
