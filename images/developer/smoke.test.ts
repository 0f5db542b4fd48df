// Each CLI of the image starts as `developer`, without a network, and is the version that package.json pins.
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const image = process.env['SLIPWAY_TEST_IMAGE']
const namespace = process.env['SLIPWAY_TEST_NAMESPACE'] ?? 'slipway-test-smoke'
const pins = (
  JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8')) as {
    dependencies: Record<string, string>
  }
).dependencies

const programs = [
  ['claude', '@anthropic-ai/claude-code'],
  ['codex', '@openai/codex'],
  ['gemini', '@google/gemini-cli'],
  ['copilot', '@github/copilot'],
  ['opencode', 'opencode-ai'],
  ['node', 'node'],
  ['npm', 'npm'],
] as const

/** Runs a program in a container which may do as little as an agent's, and answers what it printed. */
const inContainer = async (...argv: string[]) => {
  const { stdout } = await promisify(execFile)('docker', [
    ...['run', '--rm', '--init', '--network', 'none', '--cap-drop', 'ALL'],
    ...['--security-opt', 'no-new-privileges', '--label', `${namespace}.managed=true`],
    ...['--name', `${namespace}-smoke-${randomUUID()}`, image ?? '', ...argv],
  ])
  return stdout.trim()
}

describe.skipIf(!image)('the developer image', () => {
  it.each(programs)('has %s in the pinned version of %s', { timeout: 60_000 }, async (program, name) => {
    const version = /\d+\.\d+\.\d+/.exec(await inContainer(program, '--version'))?.[0]
    expect(version).toBe(pins[name])
  })

  it('runs as developer, whose home is writable', { timeout: 60_000 }, async () => {
    const script = 'touch ~/file && printf "%s %s %s" "$(id -un)" "$(id -u):$(id -g)" "$PWD"'
    expect(await inContainer('bash', '-c', script)).toBe('developer 1000:1000 /home/developer')
  })

  it('installs global npm packages into the home, ahead of its own programs', { timeout: 60_000 }, async () => {
    expect(await inContainer('bash', '-lc', 'npm prefix --global; echo "${PATH%%:*}"')).toBe(
      '/home/developer/.local\n/home/developer/.local/bin',
    )
  })

  it.each(['copilot', 'opencode'])(
    'does not start %s in a folder that nobody trusts',
    { timeout: 60_000 },
    async (cli) => {
      const script = `mkdir clone && cd clone && "$0" hi </dev/null >/dev/null 2>&1; echo $?`
      expect(await inContainer('sh', '-c', script, cli)).toBe('77')
      expect(await inContainer('sh', '-c', `"$0" --version </dev/null >/dev/null 2>&1; echo $?`, cli)).toBe('0')
    },
  )

  it('has Gemini ask about folders, whatever the home says', { timeout: 60_000 }, async () => {
    const settings = JSON.parse(await inContainer('cat', '/etc/gemini-cli/settings.json')) as unknown
    expect(settings).toEqual({ security: { folderTrust: { enabled: true } } })
  })

  it.each(['git', 'gh', 'rg', 'jq', 'curl', 'less', 'vi', 'nano', 'ps', 'htop', 'python3', 'cc', 'make'])(
    'has %s',
    { timeout: 60_000 },
    async (program) => {
      expect(await inContainer('sh', '-c', 'command -v "$0"', program)).toMatch(/^\//)
    },
  )
})
