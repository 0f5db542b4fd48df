/** What a user's account has: sign-ins, tokens, keys, devices and accounts elsewhere. Each is stored, and its id is the answer. */
import { randomUUID } from 'node:crypto'
import { CLI_PROVIDER_DEFAULTS } from '@slipway/protocol'
import { DAY_MS } from '../../../src/lib/time/clock.ts'
import type { Person } from '../../support/people/people.ts'
import { newPublicKey } from '../../support/ssh/new-key.ts'
import type { World } from './world.ts'

/** Those of the example in RFC 8291, 5. */
export const PUSH_KEYS = {
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
}

export const storedSignIn = async ({ database, clock }: World, user: Person): Promise<string> => {
  const data = { userId: user.id, refreshHash: '', expiresAt: new Date(clock.now() + DAY_MS) }
  return (await database.prisma.signIn.create({ data })).id
}

export const storedToken = async ({ database }: World, user: Person): Promise<string> => {
  const data = { userId: user.id, name: 'to go', tokenHash: randomUUID(), scopes: [], expiresAt: new Date(0) }
  return (await database.prisma.apiToken.create({ data })).id
}

/** Each user has only a few, so that the walk's own may be added. */
export const storedSshKey = async ({ database, clock }: World, { id: userId }: Person): Promise<string> => {
  const id = randomUUID()
  await database.prisma.sshKey.deleteMany({ where: { userId } })
  const key = { name: 'to go', publicKey: newPublicKey(), fingerprint: id }
  await database.prisma.sshKey.create({ data: { id, userId, ...key, createdAt: new Date(clock.now()) } })
  return id
}

/** Each user has only a few, so that the walk's own may be added. */
export const storedDevice = async (world: World, user: Person): Promise<string> => {
  const { prisma } = world.database
  const userId = user.id
  await prisma.pushDevice.deleteMany({ where: { userId } })
  const id = randomUUID()
  const keys = { endpoint: `https://127.0.0.1:1/${id}`, ...PUSH_KEYS }
  const of = { id, userId, signInId: await storedSignIn(world, user), name: 'Walked', ...keys }
  await prisma.pushDevice.create({ data: { ...of, createdAt: new Date(world.clock.now()) } })
  return id
}

/** A Discord account that is linked to the user. */
export const storedChatAccount = async ({ database, clock }: World, { id: userId }: Person): Promise<string> => {
  const { chatAccount } = database.prisma
  const id = randomUUID()
  await chatAccount.deleteMany({ where: { userId } })
  const of = { id, userId, service: 'discord', accountId: id, name: 'walked' }
  await chatAccount.create({ data: { ...of, createdAt: new Date(clock.now()) } })
  return id
}

/** Each user has only a few, so that the walk's own may be created. */
export const storedCliProvider = async ({ database, clock }: World, { id: userId }: Person): Promise<string> => {
  const { cliProvider } = database.prisma
  const at = new Date(clock.now())
  const { defaultArgs, ...fields } = CLI_PROVIDER_DEFAULTS
  const id = randomUUID()
  const of = { id, userId, name: `walk-${id.slice(0, 13)}`, displayName: 'Walked', binary: 'cat' }
  await cliProvider.deleteMany({ where: { userId } })
  const data = { ...fields, ...of, defaultArgs: [...defaultArgs], createdAt: at, updatedAt: at }
  return (await cliProvider.create({ data })).id
}
