/** Several terminals of one user in one agent. */
import { describe, expect, it } from 'vitest'
import { CONTINUED, setup } from '../../../test/support/scripted/gate.ts'
import { blindViewer } from '../../../test/support/terminals/blind.ts'
import { byUnsharing } from '../access/loss.ts'
import type { Person } from './sharing/company.ts'

const annHerself: Person = {
  name: 'ann@example.org',
  isHolder: true,
  mayControl: true,
  handsOver: () => Promise.resolve(),
}
const inTab = (tab: string) => ({ mode: 'bash', tab })
const EXISTS = 'You already have an active terminal session for this agent'

describe('the terminals of a user in an agent', () => {
  it('are sessions of their own, one in each tab, and the one without a tab is another', async () => {
    const { open, registry, started } = setup({}, true, 3)
    const opened = [await open(), await open({}, inTab('shell')), await open({}, inTab('tests'))]
    expect(opened.map(({ resumed }) => resumed)).toEqual([false, false, false])
    expect(new Set(opened.map(({ session }) => session.id)).size).toBe(3)
    expect([started(), registry.ofUser('ann', 'agent').length]).toEqual([3, 3])
    expect(registry.live('agent').map(({ tab }) => tab)).toEqual([undefined, 'shell', 'tests'])
  })

  it('come back in their tab', async () => {
    const { open, started } = setup({}, true, 2)
    const [plain, shell] = [await open(), await open({}, inTab('shell'))]
    expect(await open({ v: 2 }, inTab('shell'))).toMatchObject({ resumed: true, session: { id: shell.session.id } })
    expect(await open({ v: 2 })).toMatchObject({ resumed: true, session: { id: plain.session.id } })
    expect(started()).toBe(2)
  })

  it('come back to a client that names the session, whichever tab it asks for', async () => {
    const { open } = setup({}, true, 2)
    await open()
    const { session } = await open({}, inTab('shell'))
    for (const query of [{ mode: 'bash' }, inTab('shell'), inTab('other')])
      expect(await open({ v: 2, session: session.id }, query)).toMatchObject({ resumed: true, session })
  })

  it('are taken over one by one between two windows of the user', async () => {
    const { open } = setup({}, true, 2)
    const [plain, shell] = [await open(), await open({ v: 2, client: 'window 1' }, inTab('shell'))]
    const ended: string[] = []
    plain.session.attach(blindViewer({ ended: ({ reason }) => void ended.push(`plain ${reason}`) }), 0, annHerself)
    shell.session.attach(blindViewer({ ended: ({ reason }) => void ended.push(`shell ${reason}`) }), 0, annHerself)
    const second = { v: 2, client: 'window 2' } as const
    await expect(open(second, inTab('shell'))).rejects.toMatchObject({ closeCode: 4002, message: EXISTS })
    ;(await open({ ...second, takeover: true }, inTab('shell'))).take()
    expect(ended).toEqual(['shell taken_over'])
  })

  it('are as many as the agent’s setting allows, and the next is refused with 4002', async () => {
    const { open, started } = setup({}, true, 2)
    await open()
    await open({}, inTab('shell'))
    await expect(open({}, inTab('tests'))).rejects.toMatchObject({
      closeCode: 4002,
      message: 'You already have 2 terminals in this agent, as many as its settings allow',
    })
    expect(started()).toBe(2)
  })

  it('are one by default, and another tab is refused as a second client is', async () => {
    const { open, started } = setup({})
    await open()
    await expect(open({}, inTab('shell'))).rejects.toMatchObject({ closeCode: 4002, message: EXISTS })
    expect(started()).toBe(1)
  })

  it('count those in tabs when a client without one comes', async () => {
    const { open } = setup({}, true, 2)
    for (const tab of ['a', 'b']) await open({}, inTab(tab))
    await expect(open()).rejects.toMatchObject({ closeCode: 4002 })
  })

  it('make room when one ends', async () => {
    const { open, registry } = setup({}, true, 2)
    await open()
    const { session } = await open({}, inTab('shell'))
    session.end({ reason: 'disconnected', message: '', code: 1000 })
    expect(registry.of('ann', 'agent', 'shell')).toBeNull()
    expect((await open({}, inTab('tests'))).resumed).toBe(false)
  })

  it('all end with the right of their user', async () => {
    const { open, losses } = setup({}, true, 2)
    const opened = [await open(), await open({}, inTab('shell'))]
    losses.emit(byUnsharing('agent', 'ann'))
    expect(opened.map(({ session }) => session.ending?.reason)).toEqual(['access_revoked', 'access_revoked'])
  })

  it('continue a task in a tab beside another terminal, and find it there again without the tab', async () => {
    const { open, started } = setup({}, true, 2)
    await open()
    const { session } = await open({}, { task: CONTINUED.task, tab: 'task' })
    expect(session.mode).toBe('codex')
    expect(await open({ v: 2 }, { task: session.id })).toMatchObject({ resumed: true, session })
    expect(started()).toBe(2)
  })

  it('refuse a task in the place of another terminal, as with one terminal', async () => {
    const { open } = setup({}, true, 2)
    await open()
    await expect(open({}, { task: CONTINUED.task })).rejects.toMatchObject({ closeCode: 4000 })
  })
})
