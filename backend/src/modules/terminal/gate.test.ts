import { describe, expect, it } from 'vitest'
import { CONTINUED, setup } from '../../../test/support/scripted/gate.ts'
import { blindViewer } from '../../../test/support/terminals/blind.ts'
import { Reader } from '../../../test/support/terminals/reader.ts'
import { byRevocation, byStop, byUnsharing } from '../access/loss.ts'
import { type Ending, serverStopping, takenOver } from '../sessions/ending.ts'
import type { Person } from './sharing/company.ts'

const annHerself = {
  name: 'ann@example.org',
  isHolder: true,
  mayControl: true,
  handsOver: expect.any(Function) as Person['handsOver'],
}

describe('the gate of a terminal', () => {
  it.each(['authentication', 'access', 'credentials', 'record'] as const)(
    'hears of a sign-out during %s, and starts nothing',
    async (step) => {
      const { losses, open, started } = setup({
        [step]: () => losses.emit(byRevocation({ kind: 'sign_in', signInId: 'laptop', because: 'signed_out' })),
      })
      await expect(open()).rejects.toMatchObject({ closeCode: 4001, ending: { reason: 'access_revoked' } })
      expect(started()).toBe(0)
    },
  )

  it('refuses a user whose share ended while access was looked up', async () => {
    const { losses, open, started } = setup({ access: () => losses.emit(byUnsharing('agent', 'ann')) })
    await expect(open()).rejects.toMatchObject({ closeCode: 4003 })
    expect(started()).toBe(0)
  })

  it('refuses a user whose container is being stopped', async () => {
    const { losses, open } = setup({
      access: () => losses.emit(byStop({ id: 'agent', name: 'builder' }, 'container_stopped')),
    })
    await expect(open()).rejects.toMatchObject({ ending: { reason: 'container_stopped' } })
  })

  it('is not closed by rights that others lost, or by an earlier loss', async () => {
    const { losses, open } = setup({
      access: () => losses.emit(byRevocation({ kind: 'sign_in', signInId: 'phone', because: 'signed_out' })),
    })
    losses.emit(byRevocation({ kind: 'sign_in', signInId: 'laptop', because: 'signed_out' }))
    expect((await open()).session.ending).toBeNull()
  })

  it('gives the place back when it refuses the client', async () => {
    const during = { access: (): void => losses.emit(byUnsharing('agent', 'ann')) }
    const { losses, open } = setup(during)
    await expect(open()).rejects.toThrow()
    during.access = () => undefined
    expect((await open()).session.ending).toBeNull()
  })

  it('starts nothing in a server that is stopping', async () => {
    const { registry, open, started } = setup({})
    await registry.stop(serverStopping)
    await expect(open()).rejects.toMatchObject({ ending: { reason: 'server_stopping' } })
    expect(started()).toBe(0)
  })

  it('starts nothing where a session of the user may go on that cannot be asked for, and keeps no place', async () => {
    const { registry, open, started } = setup({}, false)
    await expect(open()).rejects.toMatchObject({ ending: { reason: 'engine_unavailable' } })
    expect([started(), registry.of('ann', 'agent')]).toEqual([0, null])
  })

  it('is waited for by a server that stops while the program is starting', async () => {
    let stopped: Promise<void> | undefined
    const { registry, open, pty } = setup({ start: () => void (stopped = registry.stop(serverStopping)) })
    const { session } = await open()
    await stopped
    expect(session.ending?.reason).toBe('server_stopping')
    expect(pty.hangUps).toBe(1)
  })

  it('reports a waiting session whose user left before the answer', async () => {
    const { registry, open } = setup({})
    const { session } = await open()
    const told: unknown[] = []
    registry.changed.on((agentId) => void told.push([agentId, registry.live(agentId)[0]?.waits]))
    session.waitForSomebody()
    expect(told).toEqual([['agent', true]])
  })

  describe('for a task that goes on in the terminal', () => {
    const ofTask = { task: CONTINUED.task }

    it('starts its CLI with its session, in its folder', async () => {
      const { open, specs, registry } = setup({})
      const { session } = await open({}, ofTask)
      expect(specs).toMatchObject([{ session: session.id, folder: CONTINUED.folder }])
      expect(specs[0]!.argv.slice(-2)).toEqual(['resume', 'cli-1'])
      expect(registry.of('ann', 'agent')).toMatchObject({ mode: 'codex', cliSessionId: 'cli-1' })
    })

    it('leads back to the terminal that has it', async () => {
      const { open, started } = setup({})
      const { session } = await open({}, ofTask)
      expect(await open({ v: 2 }, ofTask)).toMatchObject({ session, resumed: true })
      expect(started()).toBe(1)
    })

    it('refuses it beside another terminal of the user, and leaves that alone', async () => {
      const { open, started } = setup({})
      const { session } = await open()
      await expect(open({ v: 2 }, ofTask)).rejects.toMatchObject({ closeCode: 4000 })
      expect([started(), session.ending]).toEqual([1, null])
    })

    it('says why a task cannot go on, and starts nothing', async () => {
      const { open, started } = setup({})
      await expect(open({}, { task: 'other' })).rejects.toMatchObject({ closeCode: 4000, message: 'It is in use.' })
      await expect(open({}, { task: ['a', 'b'] })).rejects.toMatchObject({ closeCode: 4000 })
      expect(started()).toBe(0)
    })
  })

  it('tells the user of a session that was taken over that they have control, because a guest may have had it before', async () => {
    const { adopt, open } = setup({})
    const session = adopt()
    const opened = await open({ v: 2, session: session.id, offset: 0 })
    const reader = new Reader()
    session.attach(reader, 0, opened.person)
    expect([opened.resumed, reader.people]).toEqual([true, ['1 ann@example.org has control']])
  })

  describe('for a user who has a session already', () => {
    const revoked: unknown = expect.objectContaining({
      ending: expect.objectContaining({ reason: 'access_revoked' }) as Ending,
    })
    const phone = { v: 2, client: 'phone', token: 'phone' } as const
    const attended = async (during: Parameters<typeof setup>[0] = {}) => {
      const here = setup(during)
      const { session } = await here.open({ v: 2, client: 'tab 1' })
      const ended: Ending[] = []
      session.attach(blindViewer({ ended: (ending) => void ended.push(ending) }), 0, annHerself)
      return { ...here, session, ended }
    }

    it('refuses a second socket while the first is alive', async () => {
      const { open, ended } = await attended()
      await expect(open()).rejects.toMatchObject({ closeCode: 4002 })
      await expect(open({ v: 2, client: 'tab 2' })).rejects.toMatchObject({ closeCode: 4002 })
      expect(ended).toEqual([])
    })

    it('gives the session to a second socket that asks for it, and tells the first', async () => {
      const { open, session, ended, started } = await attended()
      const opened = await open({ v: 2, client: 'tab 2', takeover: true })
      expect(opened).toMatchObject({ session, resumed: true })
      // A client that asks and leaves before the answer takes over nothing.
      expect(ended).toEqual([])
      opened.take()
      expect(ended).toMatchObject([
        { reason: 'taken_over', code: 4002, message: expect.stringContaining('ann@') as string },
      ])
      expect(started()).toBe(1)
    })

    it('lets a client that reconnects replace its own lost socket, but not a socket that took the session over', async () => {
      const { open, session } = await attended()
      const again = await open({ v: 2, client: 'tab 1' })
      expect(again).toMatchObject({ session, resumed: true })
      again.take()
      const look = (): void => session.attach(blindViewer(), 0, annHerself)
      look()
      ;(await open({ v: 2, client: 'tab 2', takeover: true })).take()
      look()
      await expect(open({ v: 2, client: 'tab 1' })).rejects.toMatchObject({ closeCode: 4002 })
    })

    it('refuses a user who signs out while the return is recorded', async () => {
      const during: Parameters<typeof setup>[0] = {}
      const { open, losses, session } = await attended(during)
      session.dismiss(takenOver(null))
      during.attach = () => losses.emit(byRevocation({ kind: 'user', userId: 'ann', because: 'disabled' }))
      const back = await open()
      expect(() => back.take()).toThrow(revoked)
    })

    it('keeps the rights of the first connection until the session is taken over, and then those of the second', async () => {
      const { open, registry, losses, session, ended, vias } = await attended()
      const signOut = (signInId: string): void =>
        losses.emit(byRevocation({ kind: 'sign_in', signInId, because: 'signed_out' }))
      const [left, taken] = [await open({ ...phone, takeover: true }), await open({ ...phone, takeover: true })]
      expect([registry.callers(), vias]).toMatchObject([[{ via: { signInId: 'laptop' } }], []])
      taken.take()
      session.attach(blindViewer(), 0, annHerself)
      signOut('laptop')
      expect([ended, session.ending, vias]).toMatchObject([[{ reason: 'taken_over' }], null, ['phone']])
      signOut('phone')
      expect(session.ending).toMatchObject({ reason: 'access_revoked' })
      expect(() => left.take()).toThrow(revoked)
    })

    it('ends with the sign-in that holds it, although another one is on the way to it', async () => {
      const { open, losses, ended } = await attended()
      await open({ ...phone, takeover: true })
      losses.emit(byRevocation({ kind: 'sign_in', signInId: 'laptop', because: 'signed_out' }))
      expect(ended).toMatchObject([{ reason: 'access_revoked' }])
    })

    it('refuses a user who signs out between the answer and the place, although another device came meanwhile', async () => {
      const { open, losses, session, ended } = await attended()
      const late = await open({ ...phone, takeover: true })
      const own = await open({ v: 2, client: 'tab 1' })
      losses.emit(byRevocation({ kind: 'sign_in', signInId: 'phone', because: 'signed_out' }))
      expect(() => late.take()).toThrow(revoked)
      expect([ended, session.ending]).toEqual([[], null])
      own.take()
      expect(ended).toMatchObject([{ reason: 'taken_over' }])
    })

    it('is governed by the first of two connections that return together, not by the one that is refused', async () => {
      const { open, registry, session, vias } = await attended()
      session.dismiss(takenOver(null))
      const [own, other] = [await open({ v: 2, client: 'tab 1' }), await open(phone)]
      own.take()
      session.attach(blindViewer(), 0, annHerself)
      expect(() => other.take()).toThrow(expect.objectContaining({ closeCode: 4002 }))
      expect([registry.callers(), vias]).toMatchObject([[{ via: { signInId: 'laptop' } }], []])
    })

    it('does not give a plain client another program than it asks for', async () => {
      const { open, session } = await attended()
      session.dismiss(takenOver(null))
      await expect(open({}, { mode: 'claude' })).rejects.toMatchObject({ closeCode: 4002 })
      expect(await open({ v: 2 }, { mode: 'claude' })).toMatchObject({ resumed: true })
    })

    it('says how a session ended, and begins no other, when its client reconnects', async () => {
      const { open, started } = await attended()
      await expect(open({ v: 2, session: 'another' })).rejects.toMatchObject({
        ending: { reason: 'exited', exitCode: 3 },
      })
      const { open: openElsewhere, started: startedElsewhere } = setup({})
      await expect(openElsewhere({ v: 2, session: 'gone' })).rejects.toMatchObject({ ending: { reason: 'exited' } })
      expect([started(), startedElsewhere()]).toEqual([1, 0])
    })
  })
})
