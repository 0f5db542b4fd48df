import { execFile, execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { silentLog } from '../../../lib/log.ts'
import { RuntimeError } from '../../../runtime/errors.ts'
import type { RunOptions, RunResult } from '../../../runtime/port.ts'
import { homeFiles } from '../../providers/catalogue.ts'
import { HomeSignIns } from './home.ts'

let home: string

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'slipway-home-'))
})
afterEach(() => rm(home, { recursive: true }))

const write = async (files: Readonly<Record<string, string>>): Promise<void> => {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(home, path)), { recursive: true })
    await writeFile(join(home, path), text)
  }
}
const seed = (): Promise<void> => write(Object.fromEntries(homeFiles.map(({ path, content }) => [path, content])))

/** The program as the container runs it, on this machine. */
const run = (_containerId: string, { argv, input }: RunOptions): Promise<RunResult> =>
  new Promise((resolve, reject) => {
    const child = execFile(process.execPath, argv.slice(1), { env: { HOME: home } }, (error, stdout, stderr) => {
      if (error) reject(new Error('the program failed', { cause: error }))
      else resolve({ exitCode: 0, stdout: Buffer.from(stdout), stderr: Buffer.from(stderr) })
    })
    child.stdin?.end(input)
  })
const look = async () => {
  const found = await new HomeSignIns({ run }, silentLog).of('container')
  return found && [...found].toSorted()
}

const GEMINI = '.gemini/settings.json'
const auth = (selectedType: string): string => JSON.stringify({ security: { auth: { selectedType } } })

describe('what a home signs in', () => {
  it('is nothing as it is seeded, and nothing where it is empty', async () => {
    expect(await look()).toEqual([])
    await seed()
    expect(await look()).toEqual([])
  })

  it.each<[what: string, mode: string, files: Record<string, string>]>([
    ['a subscription', 'claude', { '.claude/.credentials.json': '{"claudeAiOauth":{"accessToken":"sk-ant-oat"}}' }],
    ['an account of the console', 'claude', { '.claude.json': '{"primaryApiKey": "sk-ant-api"}' }],
    ['a helper', 'claude', { '.claude/settings.json': '{\n  "apiKeyHelper": "pass show key"\n}' }],
    ['a variable of its settings', 'claude', { '.claude/settings.local.json': '{"env":{"ANTHROPIC_API_KEY":"k"}}' }],
    ['a cloud of its settings', 'claude', { '.claude/settings.json': '{"env":{"CLAUDE_CODE_USE_BEDROCK":"1"}}' }],
    ['a subscription', 'codex', { '.codex/auth.json': '{"OPENAI_API_KEY":null,"tokens":{"access_token":"ey"}}' }],
    ['a key', 'codex', { '.codex/auth.json': '{\n  "OPENAI_API_KEY": "sk-own"\n}' }],
    ['a server of its own', 'codex', { '.codex/config.toml': 'x = 1\nmodel_provider = "ollama"\n' }],
    [
      'a Google account',
      'gemini',
      { [GEMINI]: auth('oauth-personal'), '.gemini/oauth_creds.json': '{"refresh_token":"1"}' },
    ],
    ['a cloud', 'gemini', { [GEMINI]: auth('vertex-ai') }],
    ['a key that was typed', 'gemini', { '.gemini/gemini-credentials.json': 'a1:b2:c3' }],
    ['a key in a file', 'gemini', { '.gemini/.env': '# mine\n  export GEMINI_API_KEY=AIza' }],
    ['a key in the home’s file', 'gemini', { '.env': 'OTHER=1\nGOOGLE_API_KEY = AIza\n' }],
    ['a GitHub account', 'copilot', { '.copilot/config.json': '{"copilot_tokens":{"https://github.com:ann":"gho"}}' }],
    ['gh', 'copilot', { '.config/gh/hosts.yml': 'github.com:\n    oauth_token: gho_x\n' }],
    ['a key', 'opencode', { '.local/share/opencode/auth.json': '{"anthropic":{"type":"api","key":"sk"}}' }],
  ])('is %s of %s', async (_what, mode, files) => {
    await seed()
    await write(files)
    expect(await look()).toEqual([mode])
  })

  it.each<[what: string, files: Record<string, string>]>([
    [
      'an approved key, of which it remembers the end',
      { '.claude.json': '{"customApiKeyResponses":{"approved":["x"]}}' },
    ],
    ['a sign-out', { '.claude/.credentials.json': '{}', '.claude.json': '{"primaryApiKey":""}' }],
    [
      'settings about something else',
      { '.claude/settings.json': '{"env":{"FOO":"1"}}', '.codex/config.toml': '# model_provider = "x"' },
    ],
    ['a Google account that is not chosen', { '.gemini/oauth_creds.json': '{"access_token":"ya29"}' }],
    ['a Google account that was never used', { [GEMINI]: auth('oauth-personal') }],
    [
      'an empty key',
      { '.env': 'GEMINI_API_KEY=\n', '.gemini/.env': '#GEMINI_API_KEY=x', '.gemini/gemini-credentials.json': '' },
    ],
    ['no account', { '.copilot/config.json': '{"copilot_tokens":{}}', '.local/share/opencode/auth.json': '{}' }],
  ])('is nothing for %s', async (_what, files) => {
    await seed()
    await write(files)
    expect(await look()).toEqual([])
  })

  it('is seen beside what is no file, too large, or names itself', async () => {
    await write({
      '.codex/auth.json': '{"tokens":{"access_token":"ey"}}',
      '.claude.json': `${' '.repeat(8_388_608)}{"primaryApiKey":"sk"}`,
      '.env': '\n'.repeat(2_000_000),
      '.config/gh/hosts.yml': ' \t'.repeat(1_000_000),
    })
    execFileSync('mkfifo', [join(home, '.gemini')])
    await mkdir(join(home, '.claude/settings.json'), { recursive: true })
    await symlink('.credentials.json', join(home, '.claude/.credentials.json'))
    expect(await look()).toEqual(['codex'])
  })
})

describe('a look into a home', () => {
  it.each([
    ['fails', () => Promise.reject(new RuntimeError('not_running', 'it stopped'))],
    ['has no node', () => Promise.resolve({ exitCode: 127, stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) })],
    ['says nothing', () => Promise.resolve({ exitCode: 0, stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) })],
    ['says rubbish', () => Promise.resolve({ exitCode: 0, stdout: Buffer.from('{"a":1}'), stderr: Buffer.alloc(0) })],
  ])('that %s leaves it unknown', async (_what, fails) => {
    expect(await new HomeSignIns({ run: fails }, silentLog).of('container')).toBeNull()
  })

  it('believes no name that it did not ask about', async () => {
    const stdout = Buffer.from('["claude","bash","root",7,null]')
    const found = await new HomeSignIns(
      { run: () => Promise.resolve({ exitCode: 0, stdout, stderr: Buffer.alloc(0) }) },
      silentLog,
    ).of('container')
    expect([...(found ?? [])]).toEqual(['claude'])
  })

  it('is shared by concurrent requests, and done again for later ones', async () => {
    let looks = 0
    const stdout = Buffer.from('[]')
    const homes = new HomeSignIns(
      { run: () => Promise.resolve({ exitCode: (looks += 1) * 0, stdout, stderr: Buffer.alloc(0) }) },
      silentLog,
    )
    await Promise.all([homes.of('a'), homes.of('a'), homes.of('b')])
    expect(looks).toBe(2)
    await homes.of('a')
    expect(looks).toBe(3)
  })
})
