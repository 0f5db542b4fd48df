import { describe, expect, it } from 'vitest'
import { blindViewer } from '../../../test/support/blind-viewer.ts'
import { scriptedSession } from '../../../test/support/scripted-session.ts'
import { Bracket } from './bracket.ts'
import { disconnected, serverStopping } from './ending.ts'
import type { Person } from './sharing/company.ts'

const BEGIN = '\x1b[200~'
const END = '\x1b[201~'

const missingAfter = (...typed: string[]): string | null => {
  const bracket = new Bracket()
  for (const data of typed) bracket.saw(Buffer.from(data))
  const missing = bracket.missing()
  return missing && Buffer.from(missing).toString()
}

describe('the bracket of a paste that was cut off', () => {
  it('is missing only in the middle of a paste', () => {
    expect(missingAfter('ls\r', '\x1b[A', '\x1b')).toBeNull()
    expect(missingAfter(`${BEGIN}text`)).toBe(END)
    expect(missingAfter(`${BEGIN}text`, 'x'.repeat(70_000), 'y')).toBe(END)
    expect(missingAfter(`${BEGIN}text${END}`, 'ls\r')).toBeNull()
    expect(missingAfter(`${BEGIN}one${END}${BEGIN}two`)).toBe(END)
    expect(missingAfter(`${BEGIN}one${END}`, `${BEGIN}two${END}`)).toBeNull()
  })

  it('is found wherever the bytes were cut, and only what is missing of it is told', () => {
    const typed = `a${BEGIN}text${END}`
    const pasteEnds = typed.length - END.length
    for (let at = 0; at <= typed.length; at++) {
      const bytes = Array.from(typed)
      const sent = Math.max(0, at - pasteEnds)
      const isOpen = at >= 1 + BEGIN.length && at < typed.length
      const expected = isOpen ? END.slice(sent) : null
      expect(missingAfter(typed.slice(0, at)), `${at} at once`).toBe(expected)
      expect(missingAfter(...bytes.slice(0, at)), `${at} one by one`).toBe(expected)
    }
  })
})

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

  it('ends for its program when somebody else types, and not before: more of it may be on its way', async () => {
    const { pty, session, holder, guest } = cutOff()
    await session.give(holder, '2')
    await session.give(holder, '1')
    session.write(Buffer.from(' the text'), holder)
    await session.give(holder, '2')
    session.write(Buffer.from('ls\r'), guest)
    expect(pty.written.slice(1)).toEqual([' the text', END, 'ls\r'])
  })

  it('ends for its program when another server is to take the session over, which knows nothing of it', () => {
    const { pty, session } = cutOff()
    session.release(serverStopping)
    expect([pty.written.slice(1), pty.releases]).toEqual([[END], 1])
  })

  it('is left alone when somebody goes who does not type, and when the session is over', () => {
    const { pty, session, holder, guest } = cutOff()
    session.detach(guest)
    session.end(disconnected)
    session.detach(holder)
    expect(pty.written).toHaveLength(1)
  })
})
