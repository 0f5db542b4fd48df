import { expect, test } from 'vitest'
import { setUp, SIZE } from '../testing/session.ts'

const person = (id: string, hasControl: boolean) => ({
  id,
  name: `${id}@example.org`,
  isHolder: id === 'ann',
  hasControl,
  mayControl: true,
  asks: false,
})
/** Ann's session, with Bob in it. */
const company = (you: 'ann' | 'bob', control: 'ann' | 'bob') => ({
  type: 'people',
  you,
  people: [person('ann', control === 'ann'), person('bob', control === 'bob')],
})

test('a guest sees the program at its size, and neither types nor resizes', () => {
  const { session, sizes, resets, socket, people } = setUp(undefined, false)
  socket.open()
  socket.say({ type: 'auth_success', sessionId: 's1', offset: 0, cols: 132, rows: 43 })
  socket.say(company('bob', 'ann'))
  socket.say({ type: 'size', cols: 90, rows: 20 })
  session.resize({ cols: 50, rows: 10 })
  expect(resets).toEqual([null])
  expect(sizes).toEqual([
    { cols: 132, rows: 43 },
    { cols: 90, rows: 20 },
  ])
  expect(people.at(-1)).toMatchObject({ you: 'bob' })
  expect(session.write(Uint8Array.of(1))).toBe(false)
  expect(socket.sent).toHaveLength(1)
})

test('a guest who gets control sends the size of their window, and no longer sends it without control', () => {
  const { session, sizes, socket } = setUp(undefined, false)
  socket.open()
  socket.say({ type: 'auth_success', sessionId: 's1', offset: 0, ...SIZE })
  session.ask(true)
  socket.say(company('bob', 'bob'))
  expect(sizes.at(-1)).toBeNull()
  expect(session.write(Uint8Array.of(1))).toBe(true)
  session.resize({ cols: 50, rows: 10 })
  session.decline('cleo')
  session.give('ann')
  socket.say(company('bob', 'ann'))
  expect(sizes.at(-1)).toEqual({ cols: 50, rows: 10 })
  socket.say(company('bob', 'bob'))
  socket.say({ type: 'size', cols: 140, rows: 50 })
  socket.say(company('bob', 'ann'))
  expect(sizes.at(-1)).toEqual({ cols: 140, rows: 50 })
  expect(session.write(Uint8Array.of(2))).toBe(false)
  expect(socket.frames.slice(1)).toEqual([
    { type: 'ask_control', asks: true },
    { type: 'resize', ...SIZE },
    { type: 'resize', cols: 50, rows: 10 },
    { type: 'decline_control', to: 'cleo' },
    { type: 'give_control', to: 'ann' },
    { type: 'resize', cols: 50, rows: 10 },
  ])
})

test('a user who reconnects while another user has control sees the program’s size', () => {
  const { sizes, socket, session } = setUp()
  socket.open()
  socket.say({ type: 'auth_success', sessionId: 's1', offset: 0, cols: 50, rows: 10, resumed: true })
  socket.say(company('ann', 'bob'))
  expect(sizes).toEqual([{ cols: 50, rows: 10 }])
  expect(session.hasControl).toBe(false)
})

test('it asks for its own size only after the screen is restored', () => {
  const { consumed, session, socket } = setUp()
  socket.open()
  socket.say({ type: 'auth_success', sessionId: 's1', offset: 0, cols: 120, rows: 40, replay: 5 })
  session.resize({ cols: 80, rows: 24 })
  socket.print(5)
  expect(socket.frames).toHaveLength(1)
  consumed[0]!()
  expect(socket.frames.at(-1)).toEqual({ type: 'resize', cols: 80, rows: 24 })
})

test('the rest of a paste is dropped when control is handed over, and the user is told', () => {
  const { session, socket, cuts } = setUp()
  socket.open()
  socket.say({ type: 'auth_success', sessionId: 's1', offset: 0, inputWindow: 1000 })
  socket.say(company('bob', 'bob'))
  session.write(new Uint8Array(100_000))
  const sent = () => socket.sent.filter((data) => typeof data !== 'string').length
  const before = sent()
  socket.say(company('bob', 'ann'))
  socket.say(company('bob', 'bob'))
  socket.say({ type: 'taken', bytes: 70_000 })
  expect([cuts, sent()]).toEqual([['control'], before])
})
