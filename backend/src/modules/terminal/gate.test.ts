import type { AuthFrame } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { NOWHERE } from '../../../test/support/callers.ts'
import { ScriptedPty } from '../../../test/support/scripted-pty.ts'
import { Signal } from '../../lib/emitter.ts'
import { silentLog } from '../../lib/log.ts'
import type { AgentRow } from '../agents/rows.ts'
import type { Caller } from '../identity/caller.ts'
import { containerStopped, serverStopping } from './ending.ts'
import { Gate, type Locate, type TerminalDeps } from './gate.ts'
import { TerminalRegistry } from './registry.ts'

const ann: Caller = {
  userId: 'ann',
  email: 'ann@example.org',
  role: 'user',
  via: { kind: 'sign_in', signInId: 'laptop' },
  source: NOWHERE,
}
const row = { id: 'agent', name: 'builder', runtime: 'claude-code', sharedWith: ['ann'] } as unknown as AgentRow
const first: AuthFrame = { type: 'auth', token: 'whatever' }

/** A gate whose steps a test may interrupt. */
const setup = (
  during: Partial<Record<'authentication' | 'access' | 'credentials' | 'record' | 'start', () => void>>,
) => {
  const registry = new TerminalRegistry(new Signal())
  const pty = new ScriptedPty()
  let started = 0
  const deps = {
    authenticator: {
      authenticate: async () => {
        during.authentication?.()
        return Promise.resolve(ann)
      },
    },
    agents: { snapshot: () => ({ runningId: 'container', container: {}, reason: null }) },
    runtime: {
      openPty: async () => {
        started += 1
        during.start?.()
        return Promise.resolve(pty)
      },
    },
    provisioner: {
      provide: async () => {
        during.credentials?.()
        return Promise.resolve({ personal: false, problems: [], environment: () => ({ env: {}, given: new Set() }) })
      },
    },
    registry,
    records: {
      begin: async () => {
        during.record?.()
        return Promise.resolve()
      },
      running: () => undefined,
      ended: () => undefined,
    },
    ended: new Signal(),
    newId: () => 'session',
    log: silentLog,
  } as unknown as TerminalDeps
  const locate: Locate = async (caller) => {
    during.access?.()
    return Promise.resolve({ row, relation: 'sharee', caller })
  }
  const gate = new Gate(deps, locate, NOWHERE)
  return { gate, registry, pty, started: () => started, open: () => gate.open(first, { mode: 'bash' }) }
}

describe('the gate of a terminal', () => {
  it.each(['authentication', 'access', 'credentials', 'record'] as const)(
    'hears of a sign-out during %s, and starts nothing',
    async (step) => {
      const { registry, open, started } = setup({
        [step]: () => registry.revoked({ kind: 'sign_in', signInId: 'laptop', because: 'signed_out' }),
      })
      await expect(open()).rejects.toMatchObject({ closeCode: 4001, ending: { reason: 'access_revoked' } })
      expect(started()).toBe(0)
    },
  )

  it('hears of a share that was taken while access was looked up', async () => {
    const { registry, open, started } = setup({ access: () => registry.unshared('agent', 'ann') })
    await expect(open()).rejects.toMatchObject({ closeCode: 4003 })
    expect(started()).toBe(0)
  })

  it('hears of a container that is being stopped', async () => {
    const { registry, open } = setup({
      access: () => registry.endWhere((slot) => slot.row.id === 'agent', containerStopped('builder')),
    })
    await expect(open()).rejects.toMatchObject({ ending: { reason: 'container_stopped' } })
  })

  it('is not closed by what was taken from others, or long ago', async () => {
    const { registry, open } = setup({
      access: () => registry.revoked({ kind: 'sign_in', signInId: 'phone', because: 'signed_out' }),
    })
    registry.revoked({ kind: 'sign_in', signInId: 'laptop', because: 'signed_out' })
    expect((await open()).ending).toBeNull()
  })

  it('gives the place back when it refuses', async () => {
    const during = { access: (): void => registry.unshared('agent', 'ann') }
    const { registry, open } = setup(during)
    await expect(open()).rejects.toThrow()
    during.access = () => undefined
    expect((await open()).ending).toBeNull()
  })

  it('starts nothing in a server that is stopping', async () => {
    const { registry, open, started } = setup({})
    await registry.stop(serverStopping)
    await expect(open()).rejects.toMatchObject({ ending: { reason: 'server_stopping' } })
    expect(started()).toBe(0)
  })

  it('is waited for by a server that stops while the program is starting', async () => {
    let stopped: Promise<void> | undefined
    const { registry, open, pty } = setup({ start: () => void (stopped = registry.stop(serverStopping)) })
    const session = await open()
    await stopped
    expect(session.ending?.reason).toBe('server_stopping')
    expect(pty.hangUps).toBe(1)
  })
})
