import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { useDatabase } from '../../../../test/support/database/test-database.ts'
import { bootApp, SECRET_KEY } from '../../../../test/support/server/app.ts'
import { whileAuditIsRefused } from '../../../../test/support/audit.ts'
import { TestClock } from '../../../../test/support/clock.ts'
import { call, setUpAdmin } from '../../../../test/support/people/people.ts'
import { createIds } from '../../../lib/ids.ts'
import { silentLog } from '../../../lib/log.ts'
import { createAudit } from '../../audit/audit.ts'
import { connectorPlace } from '../connectors/repository.ts'
import { Keyring } from './keyring.ts'
import { rotate, WrongKeyError } from './rotate.ts'
import { RotationRepository } from './rotation-repository.ts'
import { PUSH_PLACE } from './push-place.ts'
import { templateSecretPlace } from '../template-secrets/repository.ts'
import { placeOf } from '../variables/repository.ts'

const OLD = new TextEncoder().encode(SECRET_KEY)
const NEW = new TextEncoder().encode('another secret of over 32 characters')
const database = useDatabase()

/** Enough credentials for two transactions, each of another user. */
const MANY = 70
const secretOf = (userId: string): string => `sk-canary-of-${userId}`

const fill = async (): Promise<void> => {
  const { prisma } = database()
  const ring = new Keyring(OLD)
  await prisma.secretKeyState.upsert({
    where: { id: 1 },
    create: { id: 1, keyId: ring.current },
    update: { keyId: ring.current },
  })
  const ids = Array.from({ length: MANY }, () => randomUUID())
  await prisma.user.createMany({ data: ids.map((id) => ({ id, email: `${id}@example.org` })) })
  await prisma.credential.createMany({
    data: ids.map((id) => {
      const place = { owner: `user:${id}`, kind: 'openai-api-key', address: null }
      return { id: randomUUID(), userId: id, ...place, ...ring.seal(ring.current, place, secretOf(id)) }
    }),
  })
}

const repository = () => {
  const { prisma } = database()
  const clock = new TestClock()
  return new RotationRepository(prisma, createAudit({ prisma, clock, newId: createIds(clock), log: silentLog }))
}
const removals = () => database().prisma.auditEvent.findMany({ where: { action: 'credential.removed' } })

/** How many these keys can decrypt; each must match what was stored. */
const readable = async (ring: Keyring): Promise<number> => {
  const rows = await database().prisma.credential.findMany()
  const opened = rows.flatMap((row) => ring.open(row, row) ?? [])
  const known = new Set(rows.map((row) => secretOf(row.userId ?? '')))
  expect(opened.every((secret) => known.has(secret))).toBe(true)
  return opened.length
}

describe('the rotation of the secret key', () => {
  it('encrypts everything with the new key', async () => {
    await fill()
    expect(await rotate(repository(), new Keyring(NEW, OLD))).toEqual({ rotated: MANY, unreadable: [] })
    expect(await readable(new Keyring(NEW))).toBe(MANY)
    expect(await readable(new Keyring(OLD))).toBe(0)
  })

  it('loses nothing when it is interrupted, and goes on where it was', async () => {
    await fill()
    const both = new Keyring(NEW, OLD)
    const interrupted = rotate(repository(), both, {
      onProgress: () => {
        throw new Error('killed')
      },
    })
    await expect(interrupted).rejects.toThrow('killed')
    const half = await readable(new Keyring(NEW))
    expect(half).toBeGreaterThan(0)
    expect(half).toBeLessThan(MANY)
    expect(await readable(both)).toBe(MANY)
    expect(await rotate(repository(), both)).toEqual({ rotated: MANY - half, unreadable: [] })
    expect(await readable(new Keyring(NEW))).toBe(MANY)
  })

  it('encrypts variables with the new key, too, and removes unreadable ones if told to', async () => {
    await fill()
    const { prisma } = database()
    const { id: agentId } = await prisma.agent.create({
      data: { name: 'has-variables', runtime: 'codex', cpus: 1, memoryMb: 64 },
    })
    const ring = new Keyring(OLD)
    const names = Array.from({ length: 60 }, (_, at) => `V${at}`)
    const sealed = (name: string) => {
      const place = { agentId, name, secret: true }
      return { ...place, ...ring.seal(ring.current, placeOf(place), secretOf(name)) }
    }
    const lost = { agentId, name: 'LOST', secret: false, sealed: new Uint8Array(), keyId: 'lost' }
    await prisma.agentVariable.createMany({ data: [...names.map(sealed), lost] })
    const result = await rotate(repository(), new Keyring(NEW, OLD), { discardUnreadable: true })
    expect(result.rotated).toBe(MANY + names.length)
    expect(result.unreadable).toEqual([{ owner: `agent:${agentId}`, kind: 'variable:LOST' }])
    const rows = await prisma.agentVariable.findMany()
    expect(rows.map((row) => new Keyring(NEW).open(row, placeOf(row))).toSorted()).toEqual(
      names.map(secretOf).toSorted(),
    )
    expect(await prisma.auditEvent.findMany({ where: { action: 'variable.removed' } })).toMatchObject([
      { via: 'platform', targetName: 'has-variables', detail: { variable: 'LOST', because: 'unreadable' } },
    ])
  })

  it('encrypts connectors with the new key, too, and removes unreadable ones if told to', async () => {
    const { prisma } = database()
    const ring = new Keyring(OLD)
    await prisma.secretKeyState.upsert({
      where: { id: 1 },
      create: { id: 1, keyId: ring.current },
      update: { keyId: ring.current },
    })
    const place = { owner: 'platform', name: 'tracker', kind: 'http' }
    const lost = { owner: 'platform', name: 'lost', kind: 'stdio', sealed: new Uint8Array(), keyId: 'lost' }
    const kept = { ...place, ...ring.seal(ring.current, connectorPlace(place), 'a definition') }
    await prisma.connector.createMany({ data: [kept, lost].map((row) => ({ ...row, enabled: true })) })
    expect(await rotate(repository(), new Keyring(NEW, OLD), { discardUnreadable: true })).toEqual({
      rotated: 1,
      unreadable: [{ owner: 'platform', kind: 'connector:lost' }],
    })
    const rows = await prisma.connector.findMany()
    expect(rows.map((row) => new Keyring(NEW).open(row, connectorPlace(row)))).toEqual(['a definition'])
    expect(await prisma.auditEvent.findMany({ where: { action: 'connector.removed' } })).toMatchObject([
      { via: 'platform', detail: { of: 'platform', connector: 'lost', because: 'unreadable' } },
    ])
  })

  it('encrypts secret variables of templates with the new key, too, and removes unreadable ones if told to', async () => {
    const { prisma } = database()
    const ring = new Keyring(OLD)
    await prisma.secretKeyState.upsert({
      where: { id: 1 },
      create: { id: 1, keyId: ring.current },
      update: { keyId: ring.current },
    })
    const data = { name: 'has-secrets', description: '', settings: {}, variables: [], updatedAt: new Date() }
    const { id: templateId } = await prisma.agentTemplate.create({ data })
    const place = { templateId, name: 'KEY' }
    const kept = { ...place, ...ring.seal(ring.current, templateSecretPlace(place), 'canary') }
    const lost = { templateId, name: 'LOST', sealed: new Uint8Array(), keyId: 'lost' }
    await prisma.agentTemplateSecret.createMany({ data: [kept, lost].map((row) => ({ ...row, setAt: new Date() })) })
    expect(await rotate(repository(), new Keyring(NEW, OLD), { discardUnreadable: true })).toEqual({
      rotated: 1,
      unreadable: [{ owner: `template:${templateId}`, kind: 'variable:LOST' }],
    })
    const rows = await prisma.agentTemplateSecret.findMany()
    expect(rows.map((row) => new Keyring(NEW).open(row, templateSecretPlace(row)))).toEqual(['canary'])
    expect(await prisma.auditEvent.findMany({ where: { action: 'agent_template.set' } })).toMatchObject([
      {
        ...{ via: 'platform', targetName: 'has-secrets' },
        detail: { because: 'unreadable', changes: { 'secretVariables.LOST': { secret: 'removed' } } },
      },
    ])
  })

  it('changes nothing with a key that is neither', async () => {
    await fill()
    await expect(rotate(repository(), new Keyring(NEW))).rejects.toThrow(WrongKeyError)
    expect(await readable(new Keyring(OLD))).toBe(MANY)
  })

  it('gives up what no key can read, when it is told to, and records each as removed by the platform', async () => {
    await fill()
    const { id } = await database().prisma.agent.create({
      data: { name: 'has-a-key', runtime: 'codex', cpus: 1, memoryMb: 64 },
    })
    const unreadable = { kind: 'git-token', sealed: new Uint8Array(), keyId: 'lost' }
    const owners = [{ owner: 'platform' }, { owner: `agent:${id}`, agentId: id }]
    await database().prisma.credential.createMany({ data: owners.map((owner) => ({ ...owner, ...unreadable })) })
    const result = await rotate(repository(), new Keyring(NEW), { discardUnreadable: true })
    expect(result.unreadable).toHaveLength(MANY + owners.length)
    expect(await database().prisma.credential.count()).toBe(0)
    const rows = await removals()
    expect(rows).toHaveLength(MANY + owners.length)
    const facts = rows.map(({ via, targetId, targetName, detail }) => ({ via, targetId, targetName, detail }))
    const gone = { via: 'platform', detail: { because: 'unreadable', kind: 'git-token' } }
    expect(facts).toContainEqual({
      ...gone,
      targetId: id,
      targetName: 'has-a-key',
      detail: { ...gone.detail, of: 'agent' },
    })
    expect(facts).toContainEqual({
      ...gone,
      targetId: null,
      targetName: 'platform',
      detail: { ...gone.detail, of: 'platform' },
    })
    expect(facts.filter(({ targetName }) => targetName?.endsWith('@example.org'))).toHaveLength(MANY)
  })

  it('gives nothing up that cannot be recorded', async () => {
    await fill()
    const before = (await removals()).length
    await whileAuditIsRefused(database(), async () => {
      const given = rotate(repository(), new Keyring(NEW), { discardUnreadable: true })
      await expect(given).rejects.toMatchObject({ code: 'AUDIT_REFUSED' })
    })
    expect(await readable(new Keyring(OLD))).toBe(MANY)
    expect(await removals()).toHaveLength(before)
  })
})

describe('a server on a database of another secret key', () => {
  const set = { body: { value: 'sk-canary-0123456789abcdef' } }

  it('starts, says so, reads nothing, and encrypts nothing with a second key', async () => {
    await fill()
    const lines: string[] = []
    const logStream = { write: (line: string) => void lines.push(line) }
    const server = await bootApp(database(), { config: { secretKey: NEW }, logStream })
    const { app } = server
    const { id, token } = await setUpAdmin(server)
    await database().prisma.credential.updateMany({
      where: { owner: { not: '' } },
      data: { setById: id },
    })
    expect((await call(app, 'GET /platform/secret-key', { token })).json()).toEqual({ state: 'wrong' })
    expect(lines.join('')).toContain('the secret key is not the one')
    const refused = await call(app, 'PUT /platform/credentials/openai-api-key', { token, ...set })
    expect([refused.statusCode, refused.json<{ code: string }>().code]).toEqual([503, 'SECRET_KEY_MISMATCH'])
    await app.close()
  })

  it('writes with the key in force while a rotation is not finished', async () => {
    await fill()
    const server = await bootApp(database(), { config: { secretKey: NEW, previousSecretKey: OLD } })
    const { app } = server
    const { token } = await setUpAdmin(server)
    const keyIdOf = async (): Promise<string | undefined> => {
      expect((await call(app, 'PUT /platform/credentials/openai-api-key', { token, ...set })).statusCode).toBe(200)
      return (await database().prisma.credential.findFirst({ where: { owner: 'platform' } }))?.keyId
    }
    expect((await call(app, 'GET /platform/secret-key', { token })).json()).toEqual({ state: 'rotating' })
    expect(await keyIdOf()).toBe(new Keyring(OLD).current)
    await rotate(repository(), new Keyring(NEW, OLD))
    expect((await call(app, 'GET /platform/secret-key', { token })).json()).toEqual({ state: 'current' })
    expect(await keyIdOf()).toBe(new Keyring(NEW).current)
    const pushKeys = await database().prisma.pushKeys.findFirstOrThrow()
    expect(new Keyring(NEW).open(pushKeys, PUSH_PLACE)).toMatch(/^[A-Za-z0-9_-]{43}$/)
    await app.close()
  })

  it('takes any key where nothing is encrypted yet', async () => {
    await database().prisma.secretKeyState.updateMany({ data: { keyId: 'of a key that is lost' } })
    const server = await bootApp(database(), { config: { secretKey: NEW } })
    const { token } = await setUpAdmin(server)
    expect((await call(server.app, 'GET /platform/secret-key', { token })).json()).toEqual({ state: 'current' })
    await server.app.close()
  })
})
