import { describe, expect, it } from 'vitest'
import { OPTIONS } from '../../../../../test/support/headless/gemini.ts'
import { headless } from '../gemini.ts'
import type { McpServer } from '../mcp/server.ts'

const SERVERS: readonly McpServer[] = [
  { name: 'far', transport: { kind: 'http', url: 'https://x.example/?a=$b', headers: { A: 'the$secret' } } },
  { name: 'near', transport: { kind: 'stdio', command: 'npx', args: ['-y', '$HOME'], env: { B: '\\$secret' } } },
]

describe('the servers of a task of Gemini', () => {
  it('are in a file of root’s, in one line, and nowhere else', () => {
    const { rootFile, ...program } = headless.program({ ...OPTIONS, servers: SERVERS })
    expect(rootFile?.variable).toBe('GEMINI_CLI_SYSTEM_DEFAULTS_PATH')
    expect(rootFile?.text).not.toContain('\n')
    expect(program).toEqual(headless.program(OPTIONS))
  })

  it('have dollars that Gemini puts in itself: once, and twice in headers and variables', () => {
    const { rootFile } = headless.program({ ...OPTIONS, servers: SERVERS })
    const dollar = '${SLIPWAY_DOLLAR:-$}'
    expect(JSON.parse(rootFile?.text ?? '')).toEqual({
      mcpServers: {
        far: { httpUrl: `https://x.example/?a=${dollar}b`, headers: { A: `the\\${dollar}secret` } },
        near: { command: 'npx', args: ['-y', `${dollar}HOME`], env: { B: `\\\\${dollar}secret` } },
      },
    })
  })

  it('need no file if there are none', () => {
    expect(headless.program({ ...OPTIONS, servers: [] })).not.toHaveProperty('rootFile')
  })
})
