import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { headless as claude } from '../claude.ts'
import { headless as copilot } from '../copilot.ts'
import type { Headless } from '../headless.ts'
import { headless as opencode } from '../opencode.ts'
import type { McpServer } from './server.ts'
import { withServers } from './with-servers.ts'

const SERVERS: readonly McpServer[] = [
  { name: 'tracker', transport: { kind: 'http', url: 'https://x.example/', headers: { a: '$(id) "%s" \\n' } } },
]
const TEXT = JSON.stringify({ servers: { tracker: SERVERS[0]!.transport } })

const programOf = (at: string, script: string, servers?: readonly McpServer[]) => {
  const program = { argv: ['sh', '-c', script, 'sh'], env: {}, stdin: new Uint8Array() }
  return withServers(program, { at, field: 'servers', formOf: (transport) => transport }, servers)
}
const run = (at: string, script: string): string => {
  const { argv, env } = programOf(at, script, SERVERS)
  const [program = '', ...args] = argv
  return execFileSync(program, args, { env: { ...process.env, ...env }, encoding: 'utf8' })
}

describe('a program with MCP servers', () => {
  it('is the same without any', () => {
    expect(programOf('CONFIG=', 'true', [])).toEqual(programOf('CONFIG=', 'true'))
    expect(programOf('CONFIG=', 'true')).toEqual({ argv: ['sh', '-c', 'true', 'sh'], env: {}, stdin: new Uint8Array() })
  })

  it('finds them at the path in its last argument, as often as it reads the file', () => {
    expect(run('--config=@', 'cat "${1#--config=@}" && cat "${1#--config=@}"')).toBe(TEXT + TEXT)
  })

  it('finds them at the path in a variable, in its children, too', () => {
    expect(run('CONFIG=', 'sh -c \'cat "$CONFIG"\'')).toBe(TEXT)
  })

  it('finds them at the path in the place of a mark, wherever its arguments have it', () => {
    const { argv, env } = programOf('a-mark*', 'shift 2; cat "$1"; echo; printf "%s\\n" "$@"', SERVERS)
    const [program, ...args] = [...argv, '', "it's $(id)\n*", 'a-mark*', '--x=a-mark*,a-mark*', 'a-mark']
    const printed = execFileSync(program, args, { env: { ...process.env, ...env }, encoding: 'utf8' })
    const [text, path, ...others] = printed.trimEnd().split('\n')
    expect(text).toBe(TEXT)
    expect(path).toMatch(/^\/proc\/\d+\/fd\/5$/)
    expect(others).toEqual([`--x=${path},${path}`, 'a-mark'])
  })

  it('has a file for its own user alone, and nothing of it in its environment and its arguments', () => {
    const shown =
      'stat -L -c %a "$CONFIG" && printenv SLIPWAY_SERVERS || tr "\\0" "\\n" </proc/$$/cmdline | grep -c "x[.]example"'
    expect(run('CONFIG=', `${shown} || true`)).toBe('600\n0\n')
  })

  it('leaves no file', () => {
    expect(run('CONFIG=', 'readlink "$CONFIG"')).toMatch(/^\/tmp\/slipway-servers\.\w+ \(deleted\)\n$/)
  })
})

describe('the servers of a task', () => {
  const servers: readonly McpServer[] = [
    { name: 'far', transport: { kind: 'http', url: 'https://x.example/', headers: { A: 'secret' } } },
    { name: 'near', transport: { kind: 'stdio', command: 'npx', args: ['-y', 'x'], env: { A: 'secret' } } },
  ]
  const options = {
    ...{ prompt: 'Hello', folder: '/home/developer', model: null, sessionId: 'an-id', resume: null },
    ...{ skips: true, maxTurns: null, maxBudgetUsd: null },
  }

  it.each<[string, Headless, string, object]>([
    [
      'Claude Code',
      claude,
      '--mcp-config=',
      {
        mcpServers: {
          far: { type: 'http', url: 'https://x.example/', headers: { A: 'secret' } },
          near: { type: 'stdio', command: 'npx', args: ['-y', 'x'], env: { A: 'secret' } },
        },
      },
    ],
    [
      'Copilot',
      copilot,
      '--additional-mcp-config=@',
      {
        mcpServers: {
          far: { type: 'http', url: 'https://x.example/', headers: { A: 'secret' }, tools: ['*'] },
          near: { type: 'local', command: 'npx', args: ['-y', 'x'], env: { A: 'secret' }, tools: ['*'] },
        },
      },
    ],
    [
      'OpenCode',
      opencode,
      'OPENCODE_CONFIG=',
      {
        mcp: {
          far: { type: 'remote', url: 'https://x.example/', headers: { A: 'secret' }, oauth: false, enabled: true },
          near: { type: 'local', command: ['npx', '-y', 'x'], environment: { A: 'secret' }, enabled: true },
        },
      },
    ],
  ])('have the form of %s, and are in no argument', (_name, headless, at, file) => {
    const { argv, env } = headless.program({ ...options, servers })
    expect(argv).toContain(at)
    expect(argv.join(' ')).not.toContain('secret')
    expect(JSON.parse(env['SLIPWAY_SERVERS']!)).toEqual(file)
    const { argv: without } = headless.program(options)
    expect(argv.slice(-without.length)).toEqual(without)
  })
})
