import { expect, it } from 'vitest'
import { Signal } from '../../lib/emitter.ts'
import { silentLog } from '../../lib/log.ts'
import type { OutputListener } from '../../runtime/program.ts'
import { Programs } from '../sessions/programs.ts'
import { LIMIT } from './execs.ts'
import { type ExecDeps, ExecService, type Waiting } from './service.ts'

/** A program that prints, never ends, and cannot be ended. */
const IMMORTAL = {
  leader: '1:1',
  exit: new Promise(() => undefined),
  onOutput: (listener: OutputListener) => listener(Buffer.from('printed'), 'stdout', 0),
  acknowledge: () => undefined,
  resume: () => undefined,
  hangUp: () => Promise.reject(new Error('no room for a process')),
}

it('answers that the time is over also where the program cannot be ended, and makes room for another', async () => {
  const released: string[] = []
  class Watched extends Programs {
    override release(run: Parameters<Programs['release']>[0]): void {
      super.release(run)
      released.push(run.sessionId)
    }
  }
  const service = new ExecService({
    agents: { snapshot: () => ({ runningId: 'container' }) },
    runtime: { start: () => Promise.resolve(IMMORTAL) },
    provisioner: { provide: () => Promise.resolve({ personal: false, environment: () => ({ env: {} }) }) },
    execs: new Watched(new Signal(), LIMIT),
    records: { begin: () => Promise.resolve(), running: () => undefined, ended: () => undefined },
    left: { join: () => null },
    recovered: () => Promise.resolve(true),
    newId: () => 'run',
    log: silentLog,
  } as unknown as ExecDeps)
  const waiting = {
    caller: () => Promise.resolve({ userId: 'ann', via: { kind: 'sign_in' } }),
    locate: () => Promise.resolve({ row: { id: 'agent', name: 'agent' }, relation: 'owner' }),
    left: new AbortController().signal,
  } as unknown as Waiting
  const answer = await service.run({ argv: ['sleep', 'infinity'], timeoutSeconds: 0.01 }, waiting)
  expect(answer).toMatchObject({ timedOut: true, exitCode: null, stdout: 'printed' })
  await expect.poll(() => released).toEqual(['run'])
})
