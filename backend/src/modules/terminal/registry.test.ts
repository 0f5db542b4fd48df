import { describe, expect, it } from 'vitest'
import { NOWHERE } from '../../../test/support/people/callers.ts'
import { scriptedSession } from '../../../test/support/scripted/session.ts'
import { Signal } from '../../lib/emitter.ts'
import { byRevocation, byUnsharing, type Loss } from '../access/loss.ts'
import type { AgentRow } from '../agents/rows.ts'
import type { Caller } from '../identity/caller.ts'
import { serverStopping } from '../sessions/ending.ts'
import { type Slot, TerminalRegistry } from './registry.ts'

const row = (id: string): AgentRow => ({
  id,
  name: id,
  ownerId: 'owner',
  ownerEmail: 'owner@example.org',
  runtime: 'claude-code',
  model: null,
  skipPermissions: true,
  policy: null,
  useCredentials: true,
  useGitToken: false,
  autoCommit: false,
  image: null,
  cpus: 1,
  memoryMb: 64,
  keepSeconds: 300,
  terminalsPerUser: 1,
  record: false,
  recordInput: false,
  isSystem: false,
  uid: null,
  createdAt: new Date(0),
  sharedWith: [],
})
const caller = (userId: string, signInId = `${userId}-sign-in`): Caller => ({
  userId,
  email: `${userId}@example.org`,
  role: 'user',
  via: { kind: 'sign_in', signInId },
  source: NOWHERE,
})

const setup = () => {
  const losses = new Signal<Loss>()
  const registry = new TerminalRegistry(losses)
  let count = 0
  const reserve = (who: Caller, agentId = 'agent', relation: Slot['relation'] = 'owner') =>
    registry.reserve(
      { sessionId: `s${(count += 1)}`, caller: who, row: row(agentId), relation, mode: 'bash' },
      registry.arrive(),
    )
  const open = (who: Caller, agentId = 'agent', relation: Slot['relation'] = 'owner') => {
    const slot = reserve(who, agentId, relation)
    if (!slot) throw new Error('there is a session already')
    const onEnd = (): void => registry.release(slot)
    const { session, pty } = scriptedSession({ id: slot.sessionId, agentName: agentId, onEnd })
    registry.opened(slot, session)
    return { slot, session, pty }
  }
  return { registry, losses, reserve, open }
}

describe('the registry of terminals', () => {
  it('says whether the CLI of a terminal is signed in, as the last look into its home has shown it', () => {
    const { registry, open } = setup()
    const told: string[] = []
    registry.changed.on((agentId) => told.push(agentId))
    const [ann, bob, cleo] = ['ann', 'bob', 'cleo'].map((name) => open(caller(name)).slot)
    Object.assign(ann ?? {}, { mode: 'claude', signedIn: { home: 'container', is: null } })
    Object.assign(bob ?? {}, { mode: 'codex', signedIn: { home: 'container', is: false } })
    Object.assign(cleo ?? {}, { mode: 'claude', signedIn: { home: null, is: true } })
    const known = () => registry.live('agent').map(({ signedIn }) => signedIn)
    expect(known()).toEqual([null, false, true])
    told.length = 0
    registry.signedInBy('another container', new Set(['claude', 'codex']))
    expect(known()).toEqual([null, false, true])
    registry.signedInBy('container', new Set(['codex']))
    expect(known()).toEqual([false, true, true])
    registry.signedInBy('container', new Set(['codex']))
    expect(told).toEqual(['agent', 'agent'])
    // A shell needs no sign-in, and after a restart of the server nothing is known.
    open(caller('dora'))
    expect(known()).toEqual([false, true, true, null])
  })

  it('has one place for each user and agent', () => {
    const { reserve } = setup()
    expect(reserve(caller('ann'))).not.toBeNull()
    expect(reserve(caller('ann', 'another sign-in'))).toBeNull()
    expect(reserve(caller('bob'))).not.toBeNull()
    expect(reserve(caller('ann'), 'another agent')).not.toBeNull()
  })

  it('is not freed by a session that ended long ago', () => {
    const { registry, reserve, open } = setup()
    const first = open(caller('ann'))
    first.session.end(serverStopping)
    const second = reserve(caller('ann'))
    expect(second).not.toBeNull()
    registry.release(first.slot)
    expect(reserve(caller('ann'))).toBeNull()
  })

  it('ends a session whose right was revoked while its program was starting', () => {
    const { registry, losses, reserve } = setup()
    const slot = reserve(caller('ann'), 'agent', 'sharee')
    losses.emit(byUnsharing('agent', 'ann'))
    if (!slot) throw new Error('no place')
    const { session } = scriptedSession()
    registry.opened(slot, session)
    expect(session.ending?.reason).toBe('access_revoked')
  })

  it('ends only the sessions whose right is revoked', () => {
    const { losses, open } = setup()
    const mine = open(caller('ann', 'laptop'))
    const other = open(caller('ann', 'phone'), 'another agent')
    losses.emit(byRevocation({ kind: 'sign_in', signInId: 'laptop', because: 'signed_out' }))
    expect(mine.session.ending).not.toBeNull()
    expect(other.session.ending).toBeNull()
    losses.emit(byRevocation({ kind: 'user', userId: 'ann', because: 'disabled' }))
    expect(other.session.ending).not.toBeNull()
  })

  it("keeps a demoted admin's own terminals", () => {
    const { losses, open } = setup()
    const own = open(caller('ann'), 'own', 'owner')
    const foreign = open(caller('ann'), 'foreign', 'admin')
    losses.emit(byRevocation({ kind: 'user', userId: 'ann', because: 'role_changed' }))
    expect(own.session.ending).toBeNull()
    expect(foreign.session.ending?.reason).toBe('access_revoked')
  })

  it('stops when surviving sessions are detached and the processes of the others are gone, and admits no user after that', async () => {
    const { registry, reserve, open } = setup()
    const [ann, eve] = [open(caller('ann')), open(caller('eve'))]
    eve.pty.survives = false
    await registry.stop(serverStopping)
    expect([ann.pty.hangUps, ann.pty.releases]).toEqual([0, 1])
    expect([eve.pty.hangUps, eve.pty.releases]).toEqual([1, 0])
    expect(reserve(caller('bob'))?.ended).toEqual(serverStopping)
  })
})
