import { describe, expect, it } from 'vitest'
import { blindViewer } from '../../../../test/support/terminals/blind.ts'
import { scriptedSession } from '../../../../test/support/scripted/session.ts'
import { disconnected } from '../../sessions/ending.ts'
import type { Person } from '../sharing/company.ts'

const BEGIN = '\x1b[200~'
const END = '\x1b[201~'

const handsOver = (): Promise<void> => Promise.resolve()
const ann: Person = { name: 'ann@example.org', isHolder: true, mayControl: true, handsOver }
const bob: Person = { name: 'bob@example.org', isHolder: false, mayControl: true, handsOver }

describe('a paste that is cut off', () => {
  const cutOff = () => {
    const { pty, session } = scriptedSession()
    const [holder, guest] = [blindViewer(), blindViewer()]
    session.attach(holder, 0, ann)
    session.attach(guest, 0, bob)
    session.write(Buffer.from(`${BEGIN}half of`), holder)
    return { pty, session, holder, guest }
  }

  it('ends for its program when the socket is lost, so that what is typed afterwards counts as typed', () => {
    const { pty, session, holder } = cutOff()
    session.detach(holder)
    session.attach(holder, 0, ann)
    session.write(Buffer.from('ls\r'), holder)
    expect(pty.written.slice(1)).toEqual([END, 'ls\r'])
  })

  it('ends for its program when another user types, and not before: more of it may be on its way', async () => {
    const { pty, session, holder, guest } = cutOff()
    await session.control.give(holder, '2')
    await session.control.give(holder, '1')
    session.write(Buffer.from(' the text'), holder)
    await session.control.give(holder, '2')
    session.write(Buffer.from('ls\r'), guest)
    expect(pty.written.slice(1)).toEqual([' the text', END, 'ls\r'])
  })

  it('goes on when a viewer who does not type leaves, and when the session is over', () => {
    const { pty, session, holder, guest } = cutOff()
    session.detach(guest)
    session.end(disconnected)
    session.detach(holder)
    expect(pty.written).toHaveLength(1)
  })
})
