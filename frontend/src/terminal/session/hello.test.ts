import { expect, test } from 'vitest'
import { introduceGuest, introduceOwner } from './hello.ts'

const SIZE = { cols: 120, rows: 40 }
const held = { session: 's1', offset: 7 }
const token = (fresh: boolean) => Promise.resolve(fresh ? 'new' : 'old')

test('an owner says their size, and takes a session over once', async () => {
  const hello = await introduceOwner({ token, client: 'tab', takeover: true })(false)
  const always = { type: 'auth', v: 2, token: 'old', client: 'tab', ...SIZE }
  expect(hello(SIZE, null)).toEqual({ ...always, takeover: true })
  expect(hello(SIZE, held)).toEqual({ ...always, ...held })
})

test('a guest shows the link, and who they are where they are signed in', async () => {
  const hello = await introduceGuest({ link: 'slk_x', token })(true)
  expect(hello(SIZE, held)).toEqual({ type: 'auth', v: 2, link: 'slk_x', token: 'new', ...held })
  const stranger = await introduceGuest({ link: 'slk_x', token: () => Promise.resolve(null) })(false)
  expect(stranger(SIZE, null)).toEqual({ type: 'auth', v: 2, link: 'slk_x' })
})
