/** The password is right when the client sends it. While it waits to be compared, the account changes. */
import { beforeEach, describe, expect, it } from 'vitest'
import { createIds } from '../../src/lib/ids.ts'
import { silentLog } from '../../src/lib/log.ts'
import { createAudit } from '../../src/modules/audit/audit.ts'
import { createIdentity, type Identity } from '../../src/modules/identity/identity.ts'
import { type Argon2, createPasswords } from '../../src/modules/identity/passwords.ts'
import { aCaller } from '../support/people/callers.ts'
import { TestClock } from '../support/clock.ts'
import { useDatabase } from '../support/database/test-database.ts'
import { PASSWORD } from '../support/people/people.ts'

const database = useDatabase()
const admin = aCaller({ role: 'admin' })
const device = { address: '203.0.113.1', requestId: null, userAgent: null }
const email = 'user@example.org'
const hashOf = (password: string): string => `hash of ${password}`

let identity: Identity
let userId: string
/** Resolves when the server is about to compare a password. */
let comparing: PromiseWithResolvers<undefined>
/** The next comparison waits for this promise. */
let turn: Promise<undefined> | null

beforeEach(async () => {
  const { prisma } = database()
  const clock = new TestClock()
  const newId = createIds(clock)
  const argon2: Argon2 = {
    hash: (password) => Promise.resolve(hashOf(password)),
    verify: async (hash, password) => {
      const mine = turn
      turn = null
      comparing.resolve(undefined)
      await mine
      return hash === hashOf(password)
    },
  }
  identity = createIdentity({
    prisma,
    audit: createAudit({ prisma, clock, newId, log: silentLog }),
    secretKey: new Uint8Array(32),
    clock,
    newId,
    log: silentLog,
    belongings: { handOver: () => Promise.resolve(true), deleteAll: () => Promise.resolve([]) },
    endWithUser: () => Promise.resolve([]),
    passwords: createPasswords(argon2),
  })
  comparing = Promise.withResolvers()
  turn = null
  userId = (await identity.users.create(admin, { email, role: 'user', password: PASSWORD }, '')).id
})

const login = () => identity.signIns.login(email, PASSWORD, device)
const changePassword = () => {
  const change = { currentPassword: PASSWORD, newPassword: 'a different password', address: device.address }
  return identity.users.changePassword(aCaller({ userId, email }), change)
}
const disable = () => identity.users.update(admin, userId, { disabled: true })
const remove = () => identity.users.remove(admin, userId, {})
const liveSignIns = () => database().prisma.signIn.count({ where: { userId, revokedAt: null } })

describe('a sign-in in flight outlives its password or its account: one whose password waits to be compared', () => {
  it.each([
    ['the password is changed', changePassword],
    ['the user is disabled', disable],
    ['the user is deleted', remove],
  ])('is refused like a wrong password where %s meanwhile', async (_name, takeAway) => {
    const gate = Promise.withResolvers<undefined>()
    turn = gate.promise
    const late = login()
    await comparing.promise
    await takeAway()
    gate.resolve(undefined)
    await expect(late).rejects.toMatchObject({
      code: 'INVALID_CREDENTIALS',
      message: 'E-mail address and password do not match.',
    })
    expect(await liveSignIns()).toBe(0)
    const [newest] = await database().prisma.auditEvent.findMany({ orderBy: { id: 'desc' }, take: 1 })
    expect(newest).toMatchObject({ action: 'login.failed', targetName: email, detail: { reason: 'changed_meanwhile' } })
  })

  it('is let in where nothing changed', async () => {
    await login()
    expect(await liveSignIns()).toBe(1)
  })

  it('is refused, too, to a user who came by a link and was disabled since then', async () => {
    const user = await database().prisma.user.findUniqueOrThrow({ where: { id: userId } })
    await disable()
    await expect(identity.signIns.open(user, device)).rejects.toMatchObject({ code: 'INVALID_LINK' })
    expect(await liveSignIns()).toBe(0)
  })
})
