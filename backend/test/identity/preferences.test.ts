import { DEFAULT_PREFERENCES, type Preferences } from '@slipway/protocol'
import { beforeEach, describe, expect, it } from 'vitest'
import { readPreferences } from '../../src/modules/identity/preferences/stored.ts'
import { useApp } from '../support/server/app.ts'
import { addPerson, call, type Person, setUpAdmin, signIn } from '../support/people/people.ts'

const people = useApp()
let admin: Person

beforeEach(async () => {
  admin = await setUpAdmin(people())
})

const get = async ({ token }: Person) =>
  (await call(people().app, 'GET /users/me/preferences', { token })).json<Preferences>()
const put = ({ token }: Person, body: object) => call(people().app, 'PUT /users/me/preferences', { token, body })
const terminal = (change: object) => ({
  ...DEFAULT_PREFERENCES,
  terminal: { ...DEFAULT_PREFERENCES.terminal, ...change },
})

describe('my preferences', () => {
  it('are the defaults until something is chosen, and then the same on every device', async () => {
    expect(await get(admin)).toEqual(DEFAULT_PREFERENCES)
    const chosen = terminal({ fontFamily: 'Fira Code', fontSize: 18, lightTheme: 'sand' })
    expect((await put(admin, chosen)).json()).toEqual(chosen)
    expect(await get(await signIn(people(), admin.email))).toEqual(chosen)
    const other = terminal({ copyOnSelect: true })
    await put(admin, other)
    expect(await get(admin)).toEqual(other)
  })

  it('can be changed by pages of other versions, which lack fields or have more', async () => {
    const chosen = terminal({ fontSize: 18, screenReader: true, lightTheme: 'sand' })
    await put(admin, chosen)
    const { screenReader: _later, ...older } = { ...chosen.terminal, fontSize: 20 }
    const second = terminal({ ...older, screenReader: true })
    expect((await put(admin, { terminal: older })).json()).toEqual(second)
    const newer = { terminal: { ...second.terminal, copyOnSelect: true, wallpaper: 'cats' }, more: {} }
    const third = terminal({ ...second.terminal, copyOnSelect: true })
    expect((await put(admin, newer)).json()).toEqual(third)
    for (const nothing of [{}, { terminal: {} }, { more: 1 }])
      expect((await put(admin, nothing)).json(), JSON.stringify(nothing)).toEqual(third)
    expect(await get(admin)).toEqual(third)
    const kept = await people().database.prisma.preferences.findUnique({ where: { userId: admin.id } })
    expect(kept?.value).toEqual(third)
  })

  it('have the saved views of tasks, which a page that knows none keeps', async () => {
    const views = [{ name: 'Failed today', query: 'state=failed&time=1d' }]
    const chosen = { ...DEFAULT_PREFERENCES, tasks: { views } }
    expect((await put(admin, { tasks: { views } })).json()).toEqual(chosen)
    await put(admin, { terminal: { fontSize: 20 } })
    expect(await get(admin)).toEqual({ ...terminal({ fontSize: 20 }), tasks: { views } })
  })

  it('can be changed one by one, also at once', async () => {
    const chosen = terminal({ fontFamily: 'Hack', screenReader: true, programClipboard: 'never', keepEscape: true })
    const changes = Object.entries(chosen.terminal).map(([name, value]) => put(admin, { terminal: { [name]: value } }))
    for (const { statusCode } of await Promise.all(changes)) expect(statusCode).toBe(200)
    expect(await get(admin)).toEqual(chosen)
  })

  it('are the user’s alone, and go with the account', async () => {
    const other = await addPerson(people(), admin, 'other@example.org')
    await put(other, terminal({ fontSize: 20 }))
    expect(await get(admin)).toEqual(DEFAULT_PREFERENCES)
    expect((await call(people().app, `DELETE /users/${other.id}`, { token: admin.token })).statusCode).toBe(204)
    expect(await people().database.prisma.preferences.count()).toBe(0)
  })

  it.each([
    ['an unknown theme', terminal({ darkTheme: 'paper' })],
    ['an unknown theme alone', { terminal: { darkTheme: 'paper' } }],
    ['a group that is none', { terminal: 7 }],
    ['an empty value', terminal({ screenReader: null })],
    ['letters too small to read', terminal({ fontSize: 1 })],
    ['a font that would leave its quotes', terminal({ fontFamily: 'x"; background: url(//evil)' })],
    ['a font’s name without end', terminal({ fontFamily: 'x'.repeat(61) })],
    ['a view without a name', { tasks: { views: [{ name: ' ', query: 'q=x' }] } }],
    ['a view with a line', { tasks: { views: [{ name: 'x', query: 'q=\n' }] } }],
    ['too many views', { tasks: { views: Array(21).fill({ name: 'x', query: 'q=x' }) } }],
    ['quiet hours that are no times', { notifications: { quietHours: { from: '24:00', to: '7', timezone: 'UTC' } } }],
    ['a line height that is no number', terminal({ lineHeight: '1.2' })],
  ])('refuse %s', async (_what, body) => {
    expect((await put(admin, body)).statusCode).toBe(400)
    expect(await get(admin)).toEqual(DEFAULT_PREFERENCES)
  })
})

describe('preferences of another version', () => {
  it('keep every field that still fits, and have the default for the others', () => {
    const stored = { terminal: { fontSize: 20, darkTheme: 'neon', lineHeight: 9, gone: true }, later: 1 }
    expect(readPreferences(stored)).toEqual(terminal({ fontSize: 20 }))
  })

  it.each([undefined, null, 'text', 7, [], { terminal: null }, { terminal: 'x' }])(
    'are the defaults for %j',
    (stored) => expect(readPreferences(stored)).toEqual(DEFAULT_PREFERENCES),
  )
})
