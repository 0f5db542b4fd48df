import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { serverSettings } from './servers.ts'

describe("Codex's settings for MCP servers", () => {
  it('are none without servers', () => {
    expect(serverSettings()).toEqual({ argv: [], env: {} })
  })

  it('name variables for headers, whose values no argument has', () => {
    const headers = { Authorization: 'Bearer the-token', 'X-"Key': 'the-key' }
    const { argv, env } = serverSettings([{ name: 'a-b', transport: { kind: 'http', url: 'https://x/?q="', headers } }])
    expect(argv).toEqual([
      ...['-c', 'features.shell_snapshot=false', '-c'],
      'mcp_servers.a-b={"url" = "https://x/?q=\\"", "env_http_headers" = {"Authorization" = "SLIPWAY_CONNECTOR_0", ' +
        '"X-\\"Key" = "SLIPWAY_CONNECTOR_1"}, "startup_timeout_sec" = 60}',
    ])
    expect(env).toEqual({ SLIPWAY_CONNECTOR_0: 'Bearer the-token', SLIPWAY_CONNECTOR_1: 'the-key' })
  })

  it('give two programs variables of the same name, with any text', () => {
    const values = ['$(id) `id` "\'\\', 'zwei\nZeilen']
    const { argv, env } = serverSettings(
      values.map((TOKEN, at) => ({
        name: `server-${at}`,
        transport: {
          kind: 'stdio',
          command: 'sh',
          args: ['-c', 'printf %s "$TOKEN $1"; env', 'sh', '$x --'],
          env: { TOKEN },
        },
      })),
    )
    expect(argv.join(' ')).not.toMatch(/Zeilen|id\) `/)
    const printed = argv
      .filter((argument) => argument.startsWith('mcp_servers.'))
      .map((setting) => {
        const args = JSON.parse(/"args" = (\[.*?\]), "env_vars"/.exec(setting)![1]!) as string[]
        const names = JSON.parse(/"env_vars" = (\[.*?\])/.exec(setting)![1]!) as string[]
        const given = Object.fromEntries(names.map((name) => [name, env[name]]))
        return execFileSync('/bin/sh', args, { env: { PATH: process.env['PATH'], ...given }, encoding: 'utf8' })
      })
    values.forEach((value, at) => {
      expect(printed[at]!.startsWith(`${value} $x --`)).toBe(true)
      expect(printed[at]).not.toContain('SLIPWAY_CONNECTOR')
    })
  })
})
