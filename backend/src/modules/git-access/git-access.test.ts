/** The real git and `gh` in a real container ask for tokens, as programs of their users. */
import { randomUUID } from 'node:crypto'
import type { ExecResult } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { IMAGE, useEngine } from '../../../test/support/engine/engine.ts'
import type { Person } from '../../../test/support/people/people.ts'
import { as, newAgent, useTeam } from '../../../test/support/people/team.ts'

const { namespace, runtime } = useEngine()
const team = useTeam({ runtime, config: { namespace, images: [IMAGE] } })
const owner = (what: Parameters<ReturnType<typeof as>>[0], body?: object) => as(team(), team().owner)(what, body)
const PATH = '/agents/signs-in'

/** Without the variables that the platform gives, but for the one that says whose program it is. */
const CLEAN = 'env -i HOME="$HOME" PATH="$PATH" GIT_TERMINAL_PROMPT=0 SLIPWAY_SESSION='
const fill = (host: string, protocol = 'https', session = '"$SLIPWAY_SESSION"'): string =>
  `printf 'protocol=${protocol}\\nhost=${host}\\n\\n' | ${CLEAN}${session} git credential fill 2>/dev/null || :`

const run = async (script: string, by?: Person): Promise<string> => {
  const answer = await as(team(), by ?? team().owner)(`POST ${PATH}/exec`, { argv: ['sh', '-c', script] })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json<ExecResult>().stdout
}
const answerFor = (host: string, user: string, password: string): string =>
  `protocol=https\nhost=${host}\nusername=${user}\npassword=${password}\n`
const FIRST = 'ghp_of-the-test-first-0123456789'
const SECOND = 'ghp_of-the-test-second-0123456789'

beforeAll(async () => {
  const answer = await owner('POST /agents?wait=true', newAgent('signs-in', { useGitToken: true }))
  expect(answer.json<{ state: string }>().state).toBe('running')
  await owner('PUT /users/me/credentials/github-token', { value: FIRST })
  const git = { value: 'glpat-of-the-test-0123456789', address: 'https://ada@git.example.org' }
  await owner(`PUT ${PATH}/credentials/git-token`, git)
  // The relay starts after the container.
  await until('the relay', async () => (await run('[ -S /tmp/.slipway/relay.sock ] && echo there')) === 'there\n')
})

describe('git in an agent', () => {
  it('gets the token in force for a host, and that of no other host', async () => {
    expect(await run(fill('github.com'))).toBe(answerFor('github.com', 'x-access-token', FIRST))
    expect(await run(fill('git.example.org'))).toBe(answerFor('git.example.org', 'ada', 'glpat-of-the-test-0123456789'))
    for (const host of ['github.com.evil.example', 'git.example.org:8443', 'gitlab.com'])
      expect(await run(fill(host))).toBe('')
    expect(await run(fill('github.com', 'http'))).toBe('')
  })

  it('gets the new token while its program goes on, and so does gh', async () => {
    const gh = `${CLEAN}"$SLIPWAY_SESSION" gh auth token`
    const script = `${fill('github.com')}; touch /tmp/first; until [ -e /tmp/on ]; do sleep 0.1; done; ${fill('github.com')}; ${gh}`
    const answer = run(script)
    await until('the first answer', async () => (await run('[ -e /tmp/first ] && echo there')) === 'there\n')
    await owner('PUT /users/me/credentials/github-token', { value: SECOND })
    await run('touch /tmp/on')
    const sides = [FIRST, SECOND].map((token) => answerFor('github.com', 'x-access-token', token))
    expect(await answer).toBe(`${sides.join('')}${SECOND}\n`)
  })

  it('asks a helper that the user configures first', async () => {
    const helper = '!f() { echo username=ada; echo password=of-ada; }; f'
    await run(`git config --global credential.https://github.com.helper '${helper}'`)
    expect(await run(fill('github.com'))).toBe(answerFor('github.com', 'ada', 'of-ada'))
    await run('git config --global --remove-section credential.https://github.com')
    expect(await run(fill('github.com'))).toBe(answerFor('github.com', 'x-access-token', SECOND))
  })

  it('keeps no token in its home', async () => {
    expect(await run(`grep -rl "${SECOND}" ~ /tmp 2>/dev/null || :`)).toBe('')
  })

  it('gets nothing without a session that goes on in this agent', async () => {
    for (const session of ['', 'nonsense', randomUUID(), '"../x"'])
      expect(await run(fill('github.com', 'https', session))).toBe('')
  })

  it('leaves a token that is set to gh', async () => {
    expect(await run(`${CLEAN}"$SLIPWAY_SESSION" GH_TOKEN=ghp_mine gh auth token`)).toBe('ghp_mine\n')
  })

  it('gets no own token of its owner once another user may use the agent, whatever session it names', async () => {
    const { colleague } = team()
    await owner(`POST ${PATH}/shares`, { email: colleague.email })
    const script = `echo "$SLIPWAY_SESSION" >/tmp/session; until [ -e /tmp/done ]; do sleep 0.1; done; ${fill('github.com')}`
    const answer = run(script)
    await until('the session of the owner', async () => (await run('cat /tmp/session 2>/dev/null || :')) !== '')
    expect(await run(fill('github.com', 'https', '"$(cat /tmp/session)"'), colleague)).toBe('')
    // That of the agent is for all who use it.
    expect(await run(fill('git.example.org'), colleague)).toContain('password=glpat-of-the-test')
    await run('touch /tmp/done')
    expect(await answer).toBe('')
  })

  it('gets nothing while the agent does not use tokens', async () => {
    await owner(`PATCH ${PATH}`, { useGitToken: false })
    expect(await run(fill('git.example.org'))).toBe('')
  })
})
