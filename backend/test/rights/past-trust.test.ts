/**
 * Past trust counts. If an agent was shared, handed over or typed in, other users may have left programs or files in
 * it.
 */
import type { Agent, AgentProcess, CreatedTerminalLink, CredentialInForce } from '@slipway/protocol'
import { disconnectAll, type TerminalClient, until } from '@slipway/testing'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { auditOf } from '../support/audit.ts'
import { IMAGE, useEngine } from '../support/engine/engine.ts'
import { addPerson, call, type Person } from '../support/people/people.ts'
import { as, newAgent, systemAgentSettled, useTeam } from '../support/people/team.ts'
import { openBash, openTerminal } from '../support/terminals/terminal.ts'

const KEY = 'sk-ant-canary-0123456789abcdef'

const engine = useEngine()
const team = useTeam({ runtime: engine.runtime, config: { images: [IMAGE] } })
afterEach(disconnectAll)
const owner = (...request: Parameters<ReturnType<typeof as>>) => as(team(), team().owner)(...request)
const share = (agent: string) => owner(`POST /agents/${agent}/shares`, { email: team().colleague.email })
const unshare = (agent: string) => owner(`DELETE /agents/${agent}/shares/${team().colleague.id}`)
const trust = (agent: string, person: Person = team().owner) => as(team(), person)(`POST /agents/${agent}/trust`)

beforeAll(async () => {
  await systemAgentSettled(team())
  await owner('PUT /users/me/credentials/anthropic-api-key', { value: KEY })
})

const create = async (name: string): Promise<Agent> =>
  (await owner('POST /agents?wait=true', newAgent(name))).json<Agent>()
const bashOf = (agent: string, { token }: Person): Promise<TerminalClient> => openBash(team(), agent, token)
/** The credentials that a terminal of this user would get now, and the reason for what is missing. */
const inForce = async (agent: string, person: Person = team().owner) => {
  const answer = await as(team(), person)(`GET /agents/${agent}/credentials-in-force`)
  const found = answer.json<{ items: CredentialInForce[] }>().items.find(({ service }) => service === 'anthropic')
  return [found?.source, found?.because]
}
const disconnect = async (terminal: TerminalClient): Promise<void> => {
  terminal.close()
  await terminal.closed
}

describe('an agent that was shared', () => {
  it('gets its owner’s own credential only after they confirm, and asks again after the next sharing', async () => {
    await create('lent')
    expect(await inForce('lent')).toEqual(['user', null])
    await share('lent')
    expect(await inForce('lent')).toEqual(['none', 'shared'])
    expect((await trust('lent')).json()).toMatchObject({ statusCode: 409, code: 'WRONG_STATE' })

    // The sharee leaves a start-up file, and a process that reads what starts later.
    const theirs = await bashOf('lent', team().colleague)
    await theirs.run(`echo 'env > ~/stolen' >> ~/.bashrc`)
    await theirs.run(
      `(setsid bash -c 'trap "" TERM HUP; while :; do cat /proc/*/environ >> ~/spied; sleep 0.2; done' >/dev/null 2>&1 &)`,
    )
    expect((await unshare('lent')).statusCode).toBe(204)

    expect(await inForce('lent')).toEqual(['none', 'was_shared'])
    const mine = await bashOf('lent', team().owner)
    await mine.run(
      `echo "key:$ANTHROPIC_API_KEY: $(cat ~/stolen ~/spied | tr '\\0' '\\n' | grep -c ^ANTHROPIC_API_KEY=) found"`,
    )
    expect(mine.text).toContain('key:: 0 found')
    await mine.run('rm -f ~/stolen; sed -i "/stolen/d" ~/.bashrc')
    await disconnect(mine)

    expect((await trust('lent')).statusCode).toBe(204)
    expect(await inForce('lent')).toEqual(['user', null])
    const again = await bashOf('lent', team().owner)
    await again.run('echo key:$ANTHROPIC_API_KEY:')
    expect(again.text).toContain(`key:${KEY}:`)
    await disconnect(again)

    await share('lent')
    await unshare('lent')
    expect(await inForce('lent')).toEqual(['none', 'was_shared'])
    const rows = (await auditOf(team(), team().admin)).filter(({ action }) => action === 'agent.trusted')
    expect(rows.map(({ actor, target }) => [actor.email, target?.name])).toEqual([[team().owner.email, 'lent']])
  })

  it('is confirmed by its owner’s sign-in alone', async () => {
    await create('guarded')
    await share('guarded')
    expect((await trust('guarded', team().colleague)).statusCode).toBe(403)
    await unshare('guarded')
    expect((await trust('guarded', team().colleague)).statusCode).toBe(404)
    expect((await trust('guarded', team().admin)).statusCode).toBe(403)
    const scopes = ['agents:read', 'agents:write', 'terminal']
    const { token } = (await owner('POST /tokens', { name: 'ci', scopes })).json<{ token: string }>()
    expect((await call(team().app, 'POST /agents/guarded/trust', { token })).statusCode).toBe(403)
    expect(await inForce('guarded')).toEqual(['none', 'was_shared'])
    // A second request changes nothing.
    for (let time = 0; time < 2; time += 1) expect((await trust('guarded')).statusCode).toBe(204)
  })
})

describe('an agent in which another person', () => {
  it('had control of a terminal asks its owner, and one in which they watched does not', async () => {
    await create('typed-in')
    const mine = await bashOf('typed-in', team().owner)
    const made = await owner(`POST /terminal-sessions/${mine.sessionId}/links`, {
      access: 'control',
      audience: 'anyone',
    })
    const { secret } = made.json<CreatedTerminalLink>()
    const guest = await openTerminal(team(), '/watch', { link: secret, token: team().stranger.token })
    await until('the guest', () => mine.people.length === 2)
    expect(await inForce('typed-in')).toEqual(['user', null])
    mine.send({ type: 'give_control', to: '2' })
    await until('control', () => guest.people.some((one) => one.includes('stranger') && one.includes('has control')))
    await disconnect(mine)
    expect(await inForce('typed-in')).toEqual(['none', 'was_shared'])
  })

  it('was the owner before asks its present owner', async () => {
    const before = await addPerson(team(), team().admin, 'leaver@example.org')
    await as(team(), before)('POST /agents?wait=true', newAgent('handed-over'))
    const removed = await as(team(), team().admin)(`DELETE /users/${before.id}?agents=handover&to=${team().owner.id}`)
    expect(removed.statusCode).toBe(204)
    expect(await inForce('handed-over')).toEqual(['none', 'was_shared'])
    expect((await trust('handed-over')).statusCode).toBe(204)
    expect(await inForce('handed-over')).toEqual(['user', null])
  })
})

describe('unsharing', () => {
  it('ends what the sharee left running, also where nothing says that it is theirs, and nothing of the owner’s', async () => {
    await create('left')
    const mine = await bashOf('left', team().owner)
    await mine.run('(nohup setsid sleep 4001 >/dev/null 2>&1 &)')
    await share('left')
    const again = await bashOf('left', team().owner)
    const theirs = await bashOf('left', team().colleague)
    const leave = [
      '(nohup sleep 4002 >/dev/null 2>&1 &)',
      '(setsid sleep 4003 >/dev/null 2>&1 &)',
      '(env -i setsid sleep 4004 >/dev/null 2>&1 &)',
      // It ignores SIGTERM and SIGHUP, and restarts its child when that ends.
      `(setsid bash -c 'trap "" TERM HUP; while :; do sleep 4005; done' >/dev/null 2>&1 &)`,
      '(SLIPWAY_SESSION=00000000-0000-0000-0000-000000000000 setsid sleep 4006 >/dev/null 2>&1 &)',
    ]
    for (const line of leave) await theirs.run(line)
    const exec = as(team(), team().colleague)('POST /agents/left/exec', { argv: ['sleep', '4007'] })
    const running = async (): Promise<string[]> => {
      await again.run('true')
      const { id } = (await owner('GET /agents/left')).json<Agent>()
      const container = await engine.runtime.find({ agentId: id, agentName: 'left' })
      const all = await engine.runtime.processes(container!.id)
      // Also the shell that starts one again, which is without it for a moment.
      return [...new Set(all.flatMap(({ command }) => /\bsleep (40\d\d)/.exec(command)?.[1] ?? []))].toSorted()
    }
    await until('all of them', async () => (await running()).length === 7)
    expect((await unshare('left')).statusCode).toBe(204)
    await until('them to be gone', async () => (await running()).join() === '4001')
    await exec
    const { items } = (await owner('GET /agents/left/processes')).json<{ items: AgentProcess[] }>()
    expect(items.map(({ command }) => command)).toEqual(['sleep 4001'])
    // The owner's terminal keeps running.
    await again.run('echo still here')
    const rows = (await auditOf(team(), team().admin)).filter(
      ({ action, target, detail }) =>
        action === 'process.ended' && target?.name === 'left' && detail['because'] === 'unshared',
    )
    expect(rows.length).toBeGreaterThan(4)
    expect(new Set(rows.map(({ actor }) => actor.email))).toEqual(new Set([team().owner.email]))
  })
})
