import { describe, expect, it } from 'vitest'
import { THREAD, OPTIONS, argvOf } from '../../../../../test/support/headless/codex.ts'
import { headless } from '../codex.ts'
import { keyArgv, keyRefusalOf } from './key.ts'

describe('the program of Codex', () => {
  it('starts a session without sandbox, with its prompt on standard input alone', () => {
    const program = headless.program(OPTIONS)
    expect(program.argv).toEqual([
      ...['codex', 'exec', '--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'],
      ...['--color', 'never', '-'],
    ])
    expect(Buffer.from(program.stdin).toString()).toBe(OPTIONS.prompt)
    expect(program.env).toEqual({})
  })

  it('resumes a session by its id, with the options before the command', () => {
    expect(argvOf({ resume: THREAD, model: 'gpt-6-luna' })).toEqual([
      ...['codex', 'exec', '--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'],
      ...['--color', 'never', '-m', 'gpt-6-luna', 'resume', THREAD, '-'],
    ])
  })

  it('forks a session that it continues', () => {
    expect(argvOf({ resume: THREAD, forks: true }).slice(-3)).toEqual(['fork', THREAD, '-'])
  })

  it('only reads where permissions are not skipped, because its sandboxes do not work in a container', () => {
    const argv = argvOf({ skips: false })
    expect(argv).not.toContain('--dangerously-bypass-approvals-and-sandbox')
    expect(argv.join(' ')).toContain(' -s read-only ')
  })

  it('names the variable of the key only where there is a key, so that a sign-in works without one', () => {
    expect(argvOf({ hasKey: true }).join(' ')).toContain(` ${keyArgv({}).join(' ')} -`)
    expect(keyArgv({}).join(' ')).toContain('base_url="https://api.openai.com/v1"')
    expect(keyArgv({}).join(' ')).toContain('env_key="OPENAI_API_KEY"')
    expect(argvOf({ hasKey: false })).not.toContain('-c')
    expect(argvOf({})).not.toContain('-c')
  })

  it('sends the key to the server that the agent names', () => {
    const variables = { OPENAI_BASE_URL: 'https://gateway.example.org/v1/' }
    expect(argvOf({ hasKey: true, variables }).join(' ')).toContain('base_url="https://gateway.example.org/v1"')
  })

  it.each([
    'https://user@gateway.example.org',
    'https://:secret@gateway.example.org',
    'https://x.example.org/v1?key=s',
  ])('keeps an address with a secret out of its arguments, and the key away from OpenAI: %s', (address) => {
    const variables = { OPENAI_API_KEY: 'sk-0123456789', OPENAI_BASE_URL: address }
    expect(keyArgv(variables)).toEqual([])
    expect(keyRefusalOf(variables)).toContain('without a user name, a password, a query')
    expect(keyRefusalOf(variables)).not.toContain('example.org')
  })

  it.each([
    ['no key', {}, null],
    ['no key and no address', { OPENAI_BASE_URL: 'models:8080' }, null],
    ['a key of OpenAI', { OPENAI_API_KEY: 'sk-proj-0123456789' }, null],
    ['a key of a gateway', { OPENAI_API_KEY: 'vck_0123456789' }, null],
    ['another key for OpenAI', { OPENAI_API_KEY: 'AIza0123456789' }, 'does not begin with sk- or vck-'],
    ['another key for another server', { OPENAI_API_KEY: 'AIza01234', OPENAI_BASE_URL: 'http://models:8080/v1' }, null],
    ['no address', { OPENAI_API_KEY: 'sk-0123456789', OPENAI_BASE_URL: 'models:8080' }, 'OPENAI_BASE_URL must be'],
  ])('checks the form of its key: %s', (_what, variables, refusal) => {
    if (refusal === null) return expect(keyRefusalOf(variables)).toBeNull()
    expect(keyRefusalOf(variables)).toContain(refusal)
    expect(keyRefusalOf(variables)).not.toContain('0123456789')
  })

  it('speaks the protocol of its app server if it may ask people, with the same servers and the same key', () => {
    const asking = (options: object) => headless.people?.program({ ...OPTIONS, ...options })
    expect(asking({})).toEqual({
      argv: ['codex', 'app-server', '-c', 'features.unified_exec_tty=false'],
      env: {},
      stdin: new Uint8Array(),
    })
    const servers = [{ name: 'demo', transport: { kind: 'http', url: 'https://x.example.org', headers: { a: 's' } } }]
    const { argv = [], env } = asking({ servers, hasKey: true, model: 'gpt-6', resume: THREAD }) ?? {}
    expect(argv.join(' ')).toContain(keyArgv({}).join(' '))
    expect(argv.join(' ')).toContain('mcp_servers.demo=')
    expect(Object.values(env ?? {})).toEqual(['s'])
    // They are told over the protocol.
    for (const text of ['gpt-6', THREAD, OPTIONS.prompt]) expect(argv.join(' ')).not.toContain(text)
  })

  it('does not answer an interrupt', () => expect(headless.answersInterrupt).toBe(false))
})
