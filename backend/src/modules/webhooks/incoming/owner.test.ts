/** What the user of an incoming webhook changes about it, and what ends it. */
import type { CreatedIncomingHook, IncomingHook } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { describe, expect, it } from 'vitest'
import { auditOf } from '../../../../test/support/audit.ts'
import { call } from '../../../../test/support/people/people.ts'
import { as } from '../../../../test/support/people/team.ts'
import { BASE, receiptOf, TEMPLATE, useIncomingHooks } from '../../../../test/support/webhooks/incoming.ts'

const { team, ok, refusal, someUser, agentOf, hookOf, get, github, runsOf } = useIncomingHooks()

describe('an incoming webhook of a user', () => {
  it('is switched off when its user loses the agent, and stays so', async () => {
    const [owner, user] = [await someUser(), await someUser()]
    const agent = await agentOf(owner)
    await ok(owner, `POST /agents/${agent}/shares`, { email: user.email })
    const hook = await ok<CreatedIncomingHook>(user, `POST ${BASE}`, {
      ...{ agent, name: 'Shared', source: 'github', prompt: TEMPLATE },
    })
    receiptOf(await github(hook))
    await ok(owner, `DELETE /agents/${agent}/shares/${user.id}`)
    const off = await until('the webhook to be switched off', async () => {
      const now = await get(user, hook)
      return !now.enabled && now
    })
    expect(off.disabledBecause).toContain('may no longer start tasks')
    await ok(owner, `POST /agents/${agent}/shares`, { email: user.email })
    expect((await github(hook, {}, '{"again":true}')).statusCode).toBe(404)
    const rows = await auditOf(team(), team().admin)
    const disabled = rows.find(({ action, target }) => action === 'webhook.disabled' && target?.id === hook.id)
    expect(disabled).toMatchObject({ actor: { via: 'platform' }, detail: { direction: 'incoming' } })
    await ok(user, `PATCH ${BASE}/${hook.id}`, { enabled: true })
    expect(receiptOf(await github(hook, {}, '{"again":true}')).taskId).not.toBeNull()
  })

  it('of an API token ends with the token, and asks for the right at each call', async () => {
    const owner = await someUser()
    const agent = await agentOf(owner)
    const scopes = ['tasks:read', 'tasks:write', 'agents:read']
    const token = await ok<{ id: string; token: string }>(owner, 'POST /tokens', { name: 'hooks', scopes })
    const body = { agent, name: 'Of a token', source: 'github', prompt: TEMPLATE }
    const made = await call(team().app, `POST ${BASE}`, { token: token.token, body })
    const hook = made.json<CreatedIncomingHook>()
    receiptOf(await github(hook))
    expect((await runsOf(owner))[0]).toMatchObject({ via: 'api_token', viaId: token.id })
    // Lost without a word, as over a restart.
    await team().database.prisma.apiToken.delete({ where: { id: token.id } })
    expect((await github(hook, {}, '{"again":true}')).statusCode).toBe(404)
    expect(await get(owner, hook)).toMatchObject({ enabled: false })
  })

  it('stays switched off if it is rotated at the same time', async () => {
    const owner = await someUser()
    const hook = await hookOf(owner)
    for (let round = 0; round < 5; round += 1) {
      const [off] = await Promise.all([
        as(team(), owner)(`PATCH ${BASE}/${hook.id}`, { enabled: false }),
        as(team(), owner)(`POST ${BASE}/${hook.id}/rotate`),
      ])
      expect([200, 409]).toContain(off.statusCode)
      expect((await get(owner, hook)).enabled).toBe(off.statusCode !== 200)
      await ok(owner, `PATCH ${BASE}/${hook.id}`, { enabled: true })
    }
  })

  it('is changed, rotated and deleted, and refused if its task could not start', async () => {
    const owner = await someUser()
    const hook = await hookOf(owner)
    const refused = (more: object) =>
      refusal(owner, `POST ${BASE}`, { name: 'x', source: 'github', prompt: TEMPLATE, agent: hook.agent, ...more })
    expect((await refused({ prompt: '{{issue.title}}' }))[2]).toContain('must begin with a letter')
    expect((await refused({ agent: 'no-such-agent' }))[0]).toBe(404)
    expect((await refused({ provider: 'custom:none' }))[2]).toContain('body.provider')
    expect((await refused({ source: 'bitbucket' }))[1]).toBe('VALIDATION')
    const changed = await ok<IncomingHook>(owner, `PATCH ${BASE}/${hook.id}`, { prompt: 'Just {{a}}', events: ['a'] })
    expect(changed).toMatchObject({ prompt: 'Just {{a}}', events: ['a'], name: 'Issues', lastCall: null })
    const rotated = await ok<CreatedIncomingHook>(owner, `POST ${BASE}/${hook.id}/rotate`)
    expect((await github(hook)).statusCode).toBe(404)
    receiptOf(await github(rotated))
    expect(JSON.stringify(await ok(owner, `GET ${BASE}`))).not.toContain(rotated.secret)
    const row = await team().database.prisma.incomingHook.findUniqueOrThrow({ where: { id: hook.id } })
    expect(Buffer.from(row.sealed).toString('latin1')).not.toContain(rotated.secret)
    await ok(owner, `DELETE ${BASE}/${hook.id}`)
    expect((await github(rotated)).statusCode).toBe(404)
    for (let count = 0; count < 10; count += 1)
      await ok(owner, `POST ${BASE}`, { name: 'x', source: 'url', prompt: 'Go', agent: hook.agent })
    expect((await refused({})).slice(0, 2)).toEqual([409, 'TOO_MANY_WEBHOOKS'])
  })
})
