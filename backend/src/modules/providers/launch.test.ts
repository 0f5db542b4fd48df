import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type CredentialService, MODEL_PATTERN } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { PROVIDERS } from './catalogue.ts'
import { launchSpec } from './launch.ts'

const none = () => ({ env: {}, given: new Set<CredentialService>() })
const options = { model: null, skipPermissions: true, isSystem: false, credentials: none }
const argvOf = (
  mode: string,
  overrides: Partial<{ model: string; skipPermissions: boolean; isSystem: boolean; resume: string }> = {},
) => launchSpec(mode, { ...options, ...overrides }).argv

describe('what a terminal starts', () => {
  it('starts Claude without permission questions where the agent skips them', () => {
    expect(argvOf('claude')).toEqual(['claude', '--dangerously-skip-permissions'])
  })

  it('hands Claude the model', () => {
    expect(argvOf('claude', { model: 'opus' })).toEqual(['claude', '--dangerously-skip-permissions', '--model', 'opus'])
  })

  it('has Claude ask where the agent does not skip permissions', () => {
    expect(argvOf('claude', { skipPermissions: false })).toEqual(['claude', '--permission-mode', 'default'])
  })

  it.each(['claude', 'codex', 'gemini', 'bash'])('never skips permissions of %s for the system agent', (mode) => {
    expect(argvOf(mode, { isSystem: true }).join(' ')).not.toContain('dangerously')
  })

  it('heeds the setting for exactly those that say so', () => {
    for (const { mode, canSkipPermissions = false } of PROVIDERS) {
      const heeds = String(argvOf(mode)) !== String(argvOf(mode, { skipPermissions: false }))
      expect(heeds, mode).toBe(canSkipPermissions)
    }
  })

  it.each(PROVIDERS.map(({ mode }) => mode))(
    'is the same for %s with and without connectors if none is in force',
    (mode) => {
      const plain = { ...options, model: 'm' }
      expect(launchSpec(mode, { ...plain, servers: { all: [], mark: 'a-mark' } })).toEqual(launchSpec(mode, plain))
    },
  )

  it.each([
    ['claude', ['claude', '--mcp-config=a-mark', '--dangerously-skip-permissions', '--', '-x']],
    ['copilot', ['copilot', '--additional-mcp-config=@a-mark', '--interactive=-x']],
    ['codex', ['codex', '-c', expect.any(String), '-c', expect.stringMatching(/^mcp_servers[.]far=/), '--no-daemon']],
  ])('gives %s its connectors before its prompt, without their secrets', (mode, argv) => {
    const transport = { kind: 'http', url: 'https://x.example/', headers: { A: 'the-secret' } } as const
    const all = [{ name: 'far', transport }]
    const spec = launchSpec(mode, { ...options, prompt: '-x', servers: { all, mark: 'a-mark' } })
    expect(spec.argv.slice(spec.argv.indexOf(mode)).slice(0, argv.length)).toEqual(argv)
    expect(spec.argv.join(' ')).not.toContain('the-secret')
    expect(JSON.stringify(spec.env)).toContain('the-secret')
  })

  it('starts Gemini with its model and nothing else', () => {
    expect(argvOf('gemini', { model: 'flash' })).toEqual(['gemini', '--model', 'flash'])
  })

  it('gives Gemini a placeholder for a key and says so', () => {
    const { env, notice } = launchSpec('gemini', options)
    expect(env['GEMINI_API_KEY']).toBe('no-key-is-set')
    expect(notice).toMatch(/^No Gemini key is set/)
  })

  it('has Gemini not claim to be signed in with the placeholder', () => {
    const { env } = launchSpec('gemini', options)
    const path = env['GEMINI_CLI_SYSTEM_DEFAULTS_PATH'] ?? ''
    expect(dirname(path)).toBe('/usr/local/lib/slipway/trust')
    // The image has the files of this folder there.
    const file = join(import.meta.dirname, '../../../../images/developer/trust', basename(path))
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ ui: { showUserIdentity: false } })
  })

  it.each(['gemini', 'codex'])('believes a sign-in of %s in the home: no placeholder and no notice', (mode) => {
    const { env, notice } = launchSpec(mode, { ...options, isSignedIn: true })
    expect(notice).toBeNull()
    expect(Object.keys(env)).toEqual(Object.keys(launchSpec('bash', options).env))
    expect(launchSpec(mode, { ...options, isSignedIn: false }).notice).not.toBeNull()
  })

  it.each(PROVIDERS.filter(({ noticeWithoutKey }) => noticeWithoutKey !== undefined))(
    'says nothing about a key that $label has from a credential',
    ({ mode, services }) => {
      const credentials = () => ({ env: {}, given: new Set(services) })
      expect(launchSpec(mode, { ...options, credentials })).toMatchObject({ notice: null })
    },
  )

  it('starts Codex without the server that would outlive the terminal', () => {
    expect(argvOf('codex', { skipPermissions: false })).toEqual(['codex', '--no-daemon'])
    expect(argvOf('codex')).toEqual(['codex', '--no-daemon', '--dangerously-bypass-approvals-and-sandbox'])
  })

  it.each([
    ['claude', ['claude', '--resume', 'ID', '--dangerously-skip-permissions', '--model', 'M']],
    ['codex', ['codex', '--no-daemon', '--dangerously-bypass-approvals-and-sandbox', '--model', 'M', 'resume', 'ID']],
    ['gemini', ['gemini', '--model', 'M', '--resume', 'ID']],
    ['copilot', ['copilot', '--model', 'M', '--resume=ID']],
    ['opencode', ['opencode', '--model', 'M', '-s', 'ID']],
  ])('continues the session of %s that it is told', (mode, argv) => {
    expect(argvOf(mode, { model: 'M', resume: 'ID' })).toEqual(argv)
  })

  it('continues a session for exactly those that say so', () => {
    for (const { mode, canResume = false } of PROVIDERS)
      expect(String(argvOf(mode)) !== String(argvOf(mode, { resume: 'ID' })), mode).toBe(canResume)
  })

  it('starts bash as a login shell, which no model concerns', () => {
    expect(argvOf('bash', { model: 'opus' })).toEqual(['/bin/bash', '--login'])
  })

  it('tells a login shell from programs that know nothing of ~/.profile', () => {
    for (const mode of ['claude', 'gemini', 'codex', 'copilot', 'opencode', 'cursor-agent'])
      expect(launchSpec(mode, options).isLoginShell).toBe(false)
    expect(launchSpec('bash', options).isLoginShell).toBe(true)
  })

  it('starts any other CLI by its name, without options that it may not know', () => {
    expect(launchSpec('cursor-agent', { ...options, model: 'opus' })).toMatchObject({
      argv: ['cursor-agent'],
      notice: null,
    })
    expect(argvOf('constructor')).toEqual(['constructor'])
  })

  it('describes the browser’s terminal to every program', () => {
    for (const mode of ['claude', 'bash', 'cursor-agent']) {
      expect(launchSpec(mode, options).env).toMatchObject({
        TERM: 'xterm-256color',
        COLORTERM: 'truecolor',
      })
    }
  })
})

describe('the models that are suggested', () => {
  it('are names that an agent can have', () => {
    for (const { id, models = [] } of PROVIDERS)
      for (const model of models) expect(model, id).toMatch(new RegExp(MODEL_PATTERN))
  })
})
