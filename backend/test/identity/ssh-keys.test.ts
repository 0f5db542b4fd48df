import { SSH_KEYS_MAX, type SshKey } from '@slipway/protocol'
import { beforeEach, describe, expect, it } from 'vitest'
import { SECOND_MS } from '../../src/lib/time/clock.ts'
import { LAST_USE_EVERY_MS } from '../../src/modules/identity/authenticate.ts'
import { readPublicKey } from '../../src/modules/identity/ssh-keys/public-key.ts'
import { useApp } from '../support/server/app.ts'
import { addPerson, call, setUpAdmin, type Person } from '../support/people/people.ts'
import { newPublicKey } from '../support/ssh/new-key.ts'

const people = useApp()
let admin: Person

beforeEach(async () => {
  admin = await setUpAdmin(people())
})

const add = (owner: Person, publicKey: string, name = 'laptop') =>
  call(people().app, 'POST /ssh-keys', { token: owner.token, body: { name, publicKey } })
const added = async (owner: Person, name?: string) => (await add(owner, newPublicKey(), name)).json<SshKey>()
const list = async (owner: Person) =>
  (await call(people().app, 'GET /ssh-keys', { token: owner.token })).json<{ items: SshKey[] }>().items
const remove = (owner: Person, id: string) => call(people().app, `DELETE /ssh-keys/${id}`, { token: owner.token })
const other = () => addPerson(people(), admin, 'other@example.org')
const keys = () => people().identity.sshKeys

describe('an SSH key', () => {
  it('is stored without its comment, and found by its fingerprint', async () => {
    const line = newPublicKey()
    const response = await add(admin, `${line} ada@laptop\n`, '  laptop ')
    expect(response.statusCode).toBe(201)
    const { fingerprint } = readPublicKey(line)
    const key = response.json<SshKey>()
    expect(key).toMatchObject({ name: 'laptop', publicKey: line, fingerprint, lastUsedAt: null })
    expect(await list(admin)).toEqual([key])
    expect(await keys().find(fingerprint)).toEqual({ id: key.id, userId: admin.id, publicKey: line })
    expect(await keys().find(`${fingerprint}x`)).toBeNull()
  })

  it('is refused with a sentence where it is none, and is stored nowhere', async () => {
    const pasted = '-----BEGIN OPENSSH PRIVATE KEY-----\ncanary\n-----END OPENSSH PRIVATE KEY-----'
    const response = await add(admin, pasted)
    expect(response.json()).toMatchObject({ statusCode: 400, code: 'VALIDATION' })
    expect(response.json<{ message: string }>().message).toContain('This is a private key.')
    expect(response.body).not.toContain('canary')
    expect((await add(admin, newPublicKey(), ' ')).statusCode).toBe(400)
    expect((await add(admin, newPublicKey(), 'a\0b')).statusCode).toBe(400)
    expect(await list(admin)).toEqual([])
  })

  it('has one user, and no other user learns who that is', async () => {
    const [line, user] = [newPublicKey(), await other()]
    await add(admin, line)
    const answers = await Promise.all([add(admin, line, 'again'), add(user, `${line} comment`)])
    expect(answers.map((answer) => answer.json<{ code: string }>().code)).toEqual(['SSH_KEY_TAKEN', 'SSH_KEY_TAKEN'])
    expect(answers[0].json<{ message: string }>().message).toBe('You have this key already.')
    expect(answers[1].body).not.toContain(admin.email)
    expect(await list(user)).toEqual([])
  })

  it('goes to one of two users who add it at once', async () => {
    const [line, user] = [newPublicKey(), await other()]
    const answers = await Promise.all([add(admin, line), add(user, line)])
    expect(answers.map((answer) => answer.statusCode).sort()).toEqual([201, 409])
  })

  it('is removed by its user alone, which is told', async () => {
    const [{ id, fingerprint }, user] = [await added(admin), await other()]
    const told: string[] = []
    keys().onRemoved((removed) => told.push(removed))
    expect((await remove(user, id)).json()).toMatchObject({ statusCode: 404, code: 'NOT_FOUND' })
    expect((await remove(admin, 'x')).statusCode).toBe(404)
    expect([told, (await list(admin)).length]).toEqual([[], 1])
    expect((await remove(admin, id)).statusCode).toBe(204)
    expect([told, await list(admin), await keys().find(fingerprint)]).toEqual([[id], [], null])
  })

  it('goes with its user, which is told, and rests while they are disabled', async () => {
    const user = await other()
    const { id, fingerprint } = await added(user)
    await added(admin)
    const told: string[] = []
    keys().onRemoved((removed) => told.push(removed))
    const change = (disabled: boolean) =>
      call(people().app, `PATCH /users/${user.id}`, { token: admin.token, body: { disabled } })
    await change(true)
    expect(await keys().find(fingerprint)).toBeNull()
    await change(false)
    expect(await keys().find(fingerprint)).toMatchObject({ id })
    expect(told).toEqual([])
    expect((await call(people().app, `DELETE /users/${user.id}`, { token: admin.token })).statusCode).toBe(204)
    expect([told, await keys().find(fingerprint)]).toEqual([[id], null])
  })

  it('stays with a user who cannot be deleted', async () => {
    await added(admin)
    const told: string[] = []
    keys().onRemoved((removed) => told.push(removed))
    const response = await call(people().app, `DELETE /users/${admin.id}`, { token: admin.token })
    expect(response.json()).toMatchObject({ code: 'LAST_ADMIN' })
    expect([told, (await list(admin)).length]).toEqual([[], 1])
  })

  it('notes its last use, at most once a minute', async () => {
    const { id } = await added(admin)
    const first = people().clock.now()
    const use = async (at: number) => {
      await keys().used(id, new Date(at))
      return (await list(admin))[0]?.lastUsedAt
    }
    expect(await use(first)).toBe(new Date(first).toISOString())
    expect(await use(first + LAST_USE_EVERY_MS)).toBe(new Date(first).toISOString())
    const later = first + LAST_USE_EVERY_MS + SECOND_MS
    expect(await use(later)).toBe(new Date(later).toISOString())
  })

  it('is listed newest first, to its user alone', async () => {
    const first = await added(admin, 'first')
    people().clock.advance(SECOND_MS)
    const second = await added(admin, 'second')
    expect((await list(admin)).map(({ id }) => id)).toEqual([second.id, first.id])
    expect(await list(await other())).toEqual([])
  })

  it(`is one of at most ${SSH_KEYS_MAX}, even when the last two are added at once`, async () => {
    const createdAt = new Date(people().clock.now())
    const rows = Array.from({ length: SSH_KEYS_MAX - 1 }, () => {
      const { line: publicKey, fingerprint } = readPublicKey(newPublicKey())
      return { id: crypto.randomUUID(), userId: admin.id, name: 'one', publicKey, fingerprint, createdAt }
    })
    await people().database.prisma.sshKey.createMany({ data: rows })
    const answers = await Promise.all([add(admin, newPublicKey()), add(admin, newPublicKey())])
    expect(answers.map((answer) => answer.statusCode).sort()).toEqual([201, 409])
    const refused = answers.find((answer) => answer.statusCode === 409)
    expect(refused?.json()).toMatchObject({ code: 'TOO_MANY_SSH_KEYS' })
  })

  it('cannot be added, listed or removed by a token, which may know where the server is', async () => {
    const body = { name: 'all', scopes: ['agents:read', 'agents:write', 'terminal', 'tasks:read', 'tasks:write'] }
    const made = await call(people().app, 'POST /tokens', { token: admin.token, body })
    const holder = { ...admin, token: made.json<{ token: string }>().token }
    const { id } = await added(admin)
    expect((await add(holder, newPublicKey())).statusCode).toBe(403)
    expect((await call(people().app, 'GET /ssh-keys', { token: holder.token })).statusCode).toBe(403)
    expect((await remove(holder, id)).statusCode).toBe(403)
    expect((await call(people().app, 'GET /ssh', { token: holder.token })).json()).toEqual({ address: null })
  })
})
