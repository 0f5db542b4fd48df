import { describe, expect, it } from 'vitest'
import { AUDITED, changesOf, NOT_AUDITED } from '../../src/modules/audit/audited.ts'
import { Prisma } from '../../src/database/generated/client.ts'

/** The models of the schema and the columns of each, from the generated client. */
const models = Object.keys(Prisma.ModelName)
const columnsOf = (model: string): string[] =>
  Object.keys((Prisma as unknown as Record<string, object>)[`${model}ScalarFieldEnum`] ?? {})

/** Columns that say something about a secret, and are none. */
const ABOUT_SECRETS = ['secret', 'apiKeyEnvVar', 'publicKey']

describe('the table of audited models', () => {
  it('knows every model of the schema, as audited or as not, and no other', () => {
    expect([...Object.keys(AUDITED), ...Object.keys(NOT_AUDITED)].toSorted()).toEqual(models.toSorted())
  })

  it.each(Object.entries(AUDITED))('declares every column of %s, and no other', (model, declared) => {
    expect(columnsOf(model)).not.toHaveLength(0)
    expect(Object.keys(declared).toSorted()).toEqual(columnsOf(model).toSorted())
  })

  it.each(Object.entries(AUDITED))('records no hash, token or key of %s', (_model, declared) => {
    for (const [column, declaration] of Object.entries(declared))
      if (!ABOUT_SECRETS.includes(column) && /hash|secret|cipher|key|nonce|password/i.test(column))
        expect([column, declaration]).toEqual([column, 'secret'])
  })
})

describe('what changed', () => {
  const user = { email: 'a@b.org', role: 'user', passwordHash: 'canary', disabledAt: null, createdAt: new Date(0) }

  it('of a new row is all that it has, and of a secret only that it is there', () => {
    const changes = changesOf('User', null, user)
    expect(changes).toEqual({
      email: { after: 'a@b.org' },
      role: { after: 'user' },
      passwordHash: { secret: 'set' },
    })
    expect(JSON.stringify(changes)).not.toContain('canary')
  })

  it('of a row is what differs, before and after', () => {
    const disabledAt = new Date(86_400_000)
    expect(changesOf('User', user, { ...user, disabledAt, createdAt: new Date(5), passwordHash: 'other' })).toEqual({
      disabledAt: { before: null, after: disabledAt },
      passwordHash: { secret: 'changed' },
    })
    expect(changesOf('ApiToken', { scopes: ['a'] }, { scopes: ['a'] })).toEqual({})
  })

  it('leaves out what the events name among their own facts', () => {
    const link = { id: 'l', access: 'view', secretHash: 'canary' }
    expect(changesOf('TerminalLink', null, link)).toEqual({ secretHash: { secret: 'set' } })
  })

  it('of a row that was removed is all that it had', () => {
    expect(changesOf('User', user, null)).toMatchObject({ passwordHash: { secret: 'removed' } })
    expect(changesOf('Share', { userId: 'u', agentId: 'a' }, null)).toEqual({ userId: { before: 'u' } })
  })
})
