// Each CLI of the image starts as `developer`, without a network, and is the version that package.json pins.
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

/** Longest for a test or a hook on a busy machine, in milliseconds. */
const WITHIN_MS = 180_000

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

const docker = async (...argv: string[]) => (await promisify(execFile)('docker', argv)).stdout.trim()
/** Runs a program in a container with no more rights than an agent's, and returns its output. */
const run = (name: string, options: readonly string[], argv: readonly string[]) =>
  docker(
    ...['run', ...options, '--init', '--network', 'none', '--cap-drop', 'ALL'],
    ...['--security-opt', 'no-new-privileges', '--label', `${namespace}.managed=true`],
    ...['--name', name, image ?? '', ...argv],
  )
/** In a new container. */
const inContainer = (...argv: string[]) => run(`${namespace}-smoke-${randomUUID()}`, ['--rm'], argv)
/** A container for all programs that only look. */
const shared = `${namespace}-smoke-${randomUUID()}`
const inShared = (...argv: string[]) => docker('exec', shared, ...argv)

describe.skipIf(!image)('the developer image', { timeout: WITHIN_MS }, () => {
  beforeAll(() => run(shared, ['--detach'], ['sleep', 'infinity']), WITHIN_MS)
  afterAll(() => docker('rm', '--force', shared), WITHIN_MS)

  it.each(programs)('has %s in the pinned version of %s', async (program, name) => {
    const version = /\d+\.\d+\.\d+/.exec(await inShared(program, '--version'))?.[0]
    expect(version).toBe(pins[name])
  })

  it('runs as developer, whose home is writable', async () => {
    const script = 'touch ~/file && printf "%s %s %s" "$(id -un)" "$(id -u):$(id -g)" "$PWD"'
    expect(await inContainer('bash', '-c', script)).toBe('developer 1000:1000 /home/developer')
  })

  it('installs global npm packages into the home, ahead of its own programs', async () => {
    expect(await inShared('bash', '-lc', 'npm prefix --global; echo "${PATH%%:*}"')).toBe(
      '/home/developer/.local\n/home/developer/.local/bin',
    )
  })

  it.each(['copilot', 'opencode'])('does not start %s in a folder that is not trusted', async (cli) => {
    const script = `mkdir clone && cd clone && "$0" hi </dev/null >/dev/null 2>&1; echo $?`
    expect(await inContainer('sh', '-c', script, cli)).toBe('77')
    expect(await inContainer('sh', '-c', `"$0" --version </dev/null >/dev/null 2>&1; echo $?`, cli)).toBe('0')
  })

  it('has Gemini ask about folders, with any settings in the home', async () => {
    const settings = JSON.parse(await inShared('cat', '/etc/gemini-cli/settings.json')) as unknown
    expect(settings).toEqual({ security: { folderTrust: { enabled: true } } })
  })

  it.each([
    ...['git', 'gh', 'rg', 'jq', 'curl', 'less', 'vi', 'nano', 'ps', 'htop', 'python3', 'pip', 'cc', 'make'],
    ...['tmux', 'man'],
  ])('has %s', async (program) => {
    expect(await inShared('sh', '-c', 'command -v "$0"', program)).toMatch(/^\//)
  })

  it('has a helper for git and for gh that says nothing without the platform', async () => {
    const fill = `printf 'protocol=https\\nhost=github.com\\n\\n' | GIT_TERMINAL_PROMPT=0 git credential fill 2>&1 || :`
    expect(await inShared('sh', '-c', fill)).toContain('could not read Username')
    expect(await inShared('sh', '-c', 'gh auth token 2>&1 || :')).toContain('no oauth token')
    expect(await inShared('gh', '--version')).toMatch(/^gh version/)
  })

  it('has manual pages of the base’s packages and of its own, and an index of them', async () => {
    // Of the base; a link of the base's that Debian's alternatives make; of packages that the Dockerfile names.
    const pages = ['ls', 'bash', 'tar', 'awk', 'git', 'git-rebase', 'jq', 'rg', 'tmux', 'python3', 'vi', 'make']
    const script = 'for page; do man -w "$page" >/dev/null && echo "$page"; done'
    expect(await inShared('sh', '-c', script, 'sh', ...pages)).toBe(pages.join('\n'))
    expect(await inShared('man', 'ls')).toContain('ls - list directory contents')
    expect(await inShared('apropos', 'list directory contents')).toMatch(/^ls \(1\)/m)
  })

  it('makes virtual environments of Python with a pip of their own', async () => {
    const version = await inContainer('sh', '-c', 'python3 -m venv x && x/bin/pip --version')
    expect(version).toMatch(/^pip [\d.]+ from \/home\/developer\/x\//)
  })

  it('installs Python packages outside an environment only after the user allows it', async () => {
    const install = 'pip install --user --no-index --no-build-isolation --quiet ./package'
    const files = 'mkdir package && cd package && touch setup.py greeting.py && cd ..'
    const setup = `echo 'from setuptools import setup; setup(name="greeting", py_modules=["greeting"])' >package/setup.py`
    const where = `python3 -c 'import greeting; print(greeting.__file__)'`
    const prepared = (...lines: string[]) => inContainer('sh', '-c', [files, setup, ...lines].join('\n'))
    expect(await prepared(`${install} 2>&1; echo "exit $?"`)).toMatch(/externally-managed-environment.*exit 1$/s)
    expect(await prepared('pip config set --user global.break-system-packages true >&2', install, where)).toMatch(
      /^\/home\/developer\/\.local\/lib\/python[\d.]+\/site-packages\/greeting\.py$/,
    )
  })

  it('runs programs in tmux, which passes on keys and ends with the last program', async () => {
    const script = `
      shown() { until tmux capture-pane -p | grep "$1"; do sleep 0.1; done; }
      tmux new-session -d 'man ls; exec cat'; shown 'list directory contents'
      tmux send-keys q 'after man' Enter; shown '^after man' >/dev/null
      tmux display-message -p '#{alternate_on} #{default-terminal} #{escape-time}'
      tmux send-keys C-d; while tmux has-session 2>/dev/null; do sleep 0.1; done`
    expect((await inContainer('timeout', '150', 'sh', '-c', script)).split('\n')).toEqual([
      'ls - list directory contents',
      '0 tmux-256color 10',
    ])
  })
})
