import type { CliAccess } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { MemoryEngine } from '../../../../test/support/engine/memory-engine.ts'
import type { Call, Person } from '../../../../test/support/people/people.ts'
import { as, newAgent, useTeam } from '../../../../test/support/people/team.ts'
import { providerOfMode } from '../../providers/catalogue.ts'

/** The modes that the next look into a home finds; null: the look fails. */
let signedIn: readonly string[] | null = []
let looks = 0

const { runtime } = new MemoryEngine()
const team = useTeam({
  runtime: {
    ...runtime,
    run: (id, options) => {
      if (!options.argv.includes('-e')) return runtime.run(id, options)
      looks += 1
      return Promise.resolve({
        exitCode: signedIn === null ? 1 : 0,
        stdout: Buffer.from(JSON.stringify(signedIn)),
        stderr: Buffer.alloc(0),
      })
    },
  },
})
const SECRET = { value: 'sk-nobody-has-this-one' }

const access = async (person: Person, path: string): Promise<Record<string, string>> => {
  const answer = await as(team(), person)(`GET ${path}` as Call)
  expect(answer.statusCode).toBe(200)
  const { items } = answer.json<{ items: CliAccess[] }>()
  return Object.fromEntries(
    items.map(({ runtime: id, by, because }) => [id, because === null ? by : `${by}: ${because}`]),
  )
}
const NOTHING = {
  'claude-code': 'none',
  'gemini-cli': 'none',
  codex: 'none',
  copilot: 'none: off',
  opencode: 'none',
}

describe('what a CLI has to work with', () => {
  it('is what counts of the credentials, for each person, else what the home signs in', async () => {
    const { owner, colleague } = team()
    const mine = as(team(), owner)
    await mine('POST /agents?wait=true', newAgent('one'))
    const path = '/agents/one/cli-access'
    signedIn = []
    expect(await access(owner, path)).toEqual(NOTHING)
    signedIn = ['codex', 'copilot', 'bash']
    expect(await access(owner, path)).toEqual({ ...NOTHING, codex: 'home', copilot: 'home: off' })
    await mine('PUT /agents/one/credentials/openai-api-key', SECRET)
    signedIn = []
    const shared = { ...NOTHING, codex: 'credential', opencode: 'credential' }
    expect(await access(owner, path)).toEqual(shared)

    await mine('PUT /users/me/credentials/anthropic-api-key', SECRET)
    expect(await access(owner, path)).toEqual({ ...shared, 'claude-code': 'credential' })
    await mine('POST /agents/one/shares', { email: colleague.email })
    expect(await access(owner, path)).toEqual({ ...shared, 'claude-code': 'none: shared' })
    expect(await access(colleague, path)).toEqual(shared)

    await mine('PATCH /agents/one', { useCredentials: false, useGitToken: true })
    const off = Object.fromEntries(Object.keys(NOTHING).map((id) => [id, 'none: off']))
    expect(await access(owner, path)).toEqual({ ...off, copilot: 'none' })
    await mine('PUT /agents/one/credentials/github-token', SECRET)
    expect(await access(owner, path)).toEqual({ ...off, copilot: 'credential' })
  })

  it('is unknown where the home cannot be seen', async () => {
    const { owner } = team()
    const mine = as(team(), owner)
    await mine('POST /agents?wait=true', newAgent('two', { useCredentials: false }))
    const path = '/agents/two/cli-access'
    signedIn = null
    const unknown = Object.fromEntries(Object.keys(NOTHING).map((id) => [id, 'unknown: off']))
    expect(await access(owner, path)).toEqual(unknown)
    signedIn = ['claude']
    await mine('POST /agents/two/stop?wait=true')
    const before = looks
    expect(await access(owner, path)).toEqual(unknown)
    expect(looks).toBe(before)
  })

  it('is asked of a new agent, which has no shares', async () => {
    const { stranger } = team()
    const mine = as(team(), stranger)
    const before = looks
    expect(await access(stranger, '/users/me/cli-access')).toEqual(NOTHING)
    await mine('PUT /users/me/credentials/gemini-api-key', SECRET)
    const after = { ...NOTHING, 'gemini-cli': 'credential', opencode: 'credential' }
    expect(await access(stranger, '/users/me/cli-access')).toEqual(after)
    expect(looks).toBe(before)
  })

  it('is told of every CLI that says which keys it uses, and of no other program', () => {
    for (const mode of ['claude', 'gemini', 'codex', 'copilot', 'opencode'])
      expect(providerOfMode(mode), mode).toMatchObject({ signedInBy: expect.any(Array), signIn: expect.any(String) })
    for (const mode of ['bash', 'cursor-agent']) expect(providerOfMode(mode).services).toBeUndefined()
  })
})
