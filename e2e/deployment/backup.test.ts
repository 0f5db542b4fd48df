// Backup of the embedded database, as in docs/operating/operations.md: stop, copy the data folder, and restore it.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CreatedApiToken, User } from '@slipway/protocol'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Client, newUser, signInAdmin } from '../support/api.ts'
import { removeNamespace } from '../support/engine.ts'
import { newNamespace, type Server, startServer } from '../support/server.ts'
import { mustRun } from './support/command.ts'

let namespace: string
let folder: string
let dataDir: string
let server: Server | null = null

const start = async (): Promise<Server> => (server = await startServer({ namespace, dataDir }))
const stop = async (): Promise<void> => {
  await server?.stop()
  server = null
}

beforeAll(() => {
  namespace = newNamespace()
  folder = mkdtempSync(join(tmpdir(), 'slipway-backup-'))
  dataDir = join(folder, '.slipway')
  mkdirSync(dataDir, { mode: 0o700 })
})
afterEach(stop)
afterAll(async () => {
  await removeNamespace(namespace)
  rmSync(folder, { recursive: true, force: true })
})

describe('a backup of the data folder', () => {
  it('brings back people, their tokens and the key, and forgets what came after it', async () => {
    const before = await start()
    const admin = await signInAdmin(before.baseUrl)
    const early = await newUser(admin)
    const { token } = await admin.ok<CreatedApiToken>('POST', '/tokens', { name: 'kept', scopes: ['users:admin'] })
    await stop()
    const archive = join(folder, 'slipway-backup.tgz')
    await mustRun(['tar', '-C', folder, '-czf', archive, '.slipway'])

    const meanwhile = await start()
    const late = await newUser(await signInAdmin(meanwhile.baseUrl))
    await stop()
    rmSync(dataDir, { recursive: true })
    await mustRun(['tar', '-C', folder, '-xzf', archive])

    const { baseUrl } = await start()
    const scripted = new Client(baseUrl, token, { id: admin.userId, email: admin.email })
    const { items } = await scripted.ok<{ items: User[] }>('GET', '/users')
    const emails = items.map(({ email }) => email)
    expect(emails).toContain(early.email)
    expect(emails).not.toContain(late.email)
    // The key was restored, too, so a token from before is still valid.
    const signedBefore = new Client(baseUrl, admin.token, { id: admin.userId, email: admin.email })
    expect((await signedBefore.call('GET', '/users/me')).status).toBe(200)
  })
})
