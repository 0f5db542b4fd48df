import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { PassThrough } from 'node:stream'
import { Signal } from '../../lib/emitter.ts'
import { byDeletion, byUnsharing, type Loss } from '../access/loss.ts'
import type { Found } from '../agents/service.ts'
import { Entries, ENTRY_MS, TICKET_MS } from './entries.ts'

const HOST = '5173--atlas--slipway.localhost'
let now: number
let losses: Signal<Loss>
let entries: Entries
beforeEach(() => {
  now = 0
  losses = new Signal<Loss>((error) => {
    throw error
  })
  entries = new Entries({ losses, clock: { now: () => now } })
})

afterEach(() => {
  entries.stop()
  vi.useRealTimers()
})

const found = (relation: Found['relation'] = 'owner'): Found =>
  ({ caller: { userId: 'ada' }, row: { id: 'atlas', name: 'atlas' }, relation }) as Found
const ticket = (who = found()): string =>
  entries.admit(who, { port: 5173, host: HOST, path: '/x' }, losses.since()).secret
const browser = (who = found()): string => entries.enter(ticket(who), HOST)!.secret

describe('a ticket', () => {
  it('works once', () => {
    const one = ticket()
    const entered = entries.enter(one, HOST)
    expect(entered?.path).toBe('/x')
    expect(entries.of(entered!.secret, HOST)?.port).toBe(5173)
    expect(entries.enter(one, HOST)).toBeNull()
  })

  it('is no right of a browser', () => expect(entries.of(ticket(), HOST)).toBeNull())

  it('works at its own host only', () => {
    const one = ticket()
    expect(entries.enter(one, '5174--atlas--slipway.localhost')).toBeNull()
    expect(entries.enter(one, HOST)).not.toBeNull()
  })

  it('is over after a minute', () => {
    const one = ticket()
    now = TICKET_MS
    expect(entries.enter(one, HOST)).toBeNull()
  })

  it('is refused to a caller whose right was lost on the way', () => {
    const arrival = losses.since()
    losses.emit(byUnsharing('atlas', 'ada'))
    expect(() => entries.admit(found('sharee'), { port: 1, host: HOST, path: '/' }, arrival)).toThrow()
  })
})

describe('the right of a browser', () => {
  it('is no ticket', () => expect(entries.enter(browser(), HOST)).toBeNull())

  it('is for its own host only', () => {
    expect(entries.of(browser(), '5173--other--slipway.localhost')).toBeNull()
  })

  it('is over after its time', () => {
    const secret = browser()
    now = ENTRY_MS - 1
    expect(entries.of(secret, HOST)).not.toBeNull()
    now = ENTRY_MS
    expect(entries.of(secret, HOST)).toBeNull()
  })

  it.each<[string, () => Loss]>([
    ['the share', () => byUnsharing('atlas', 'ada')],
    ['the agent', () => byDeletion({ id: 'atlas', name: 'atlas' })],
  ])('ends with %s, and its connections, too', (_what, loss) => {
    const secret = browser(found('sharee'))
    const socket = new PassThrough()
    entries.of(secret, HOST)!.held.add(socket)
    losses.emit(loss())
    expect(entries.of(secret, HOST)).toBeNull()
    expect(socket.destroyed).toBe(true)
    expect(entries.callers()).toEqual([])
  })

  it('ends if it is the oldest of a user who has too many, and stays for other users', () => {
    const other = browser({ ...found(), caller: { userId: 'bob' } } as Found)
    const secrets = Array.from({ length: 101 }, () => browser())
    expect(secrets.filter((secret) => entries.of(secret, HOST) === null)).toEqual([secrets[0]])
    expect(entries.of(other, HOST)).not.toBeNull()
  })
})

describe('a browser with a link', () => {
  const link = { id: 'link', expiresAt: 10_000 }
  const visitor = (): string => {
    const at = { port: 5173, host: HOST, path: '/' }
    return entries.enter(entries.admit(found(), at, entries.arrive(), link).secret, HOST)!.secret
  }

  it('is let in until the link expires', () => {
    const secret = visitor()
    now = 9_999
    expect(entries.of(secret, HOST)?.port).toBe(5173)
    now = 10_000
    expect(entries.of(secret, HOST)).toBeNull()
  })

  it('loses what is open when the link expires', () => {
    vi.useFakeTimers()
    const secret = visitor()
    const socket = new PassThrough()
    entries.of(secret, HOST)!.held.add(socket)
    vi.advanceTimersByTime(9_999)
    expect(socket.destroyed).toBe(false)
    vi.advanceTimersByTime(1)
    expect(socket.destroyed).toBe(true)
    expect(entries.callers()).toEqual([])
  })

  it('is let out when the link is revoked, and no other browser is', () => {
    const [secret, own] = [visitor(), browser()]
    const socket = new PassThrough()
    entries.of(secret, HOST)!.held.add(socket)
    entries.endLink('another')
    expect(entries.of(secret, HOST)).not.toBeNull()
    entries.endLink('link')
    expect([entries.of(secret, HOST), socket.destroyed]).toEqual([null, true])
    expect(entries.of(own, HOST)).not.toBeNull()
  })

  it('is let out when the user who made the link loses the agent', () => {
    const secret = visitor()
    losses.emit(byDeletion({ id: 'atlas', name: 'atlas' }))
    expect(entries.of(secret, HOST)).toBeNull()
  })

  it('takes no place of the users of the agent', () => {
    const own = browser()
    const visitors = Array.from({ length: 60 }, visitor)
    expect(entries.of(own, HOST)).not.toBeNull()
    // The oldest ones have ended.
    expect(visitors.filter((secret) => entries.of(secret, HOST) !== null)).toHaveLength(50)
  })
})
