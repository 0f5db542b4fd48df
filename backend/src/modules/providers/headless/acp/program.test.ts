import { describe, expect, it } from 'vitest'
import { headless as copilot } from '../copilot.ts'
import { headless as gemini } from '../gemini.ts'
import type { Headless, HeadlessProgram } from '../headless.ts'
import { headless as opencode } from '../opencode.ts'

const programOf = ({ people }: Headless, more: object = {}): HeadlessProgram => {
  const options = {
    ...{ prompt: '$(id)', folder: '/home/developer', model: null, sessionId: 'an-id', resume: null },
    ...{ skips: true, maxTurns: null, maxBudgetUsd: null, ...more },
  }
  if (!people) throw new Error('it cannot ask people')
  return people.program(options)
}
const SERVERS = [{ name: 'far', transport: { kind: 'http', url: 'https://x.example/', headers: { A: 'secret' } } }]

describe('a CLI with people over ACP', () => {
  it.each([
    ['Gemini', gemini, ['gemini', '--acp', '--model', 'a-model']],
    ['Copilot', copilot, ['copilot', '--acp', '--model', 'a-model']],
    ['OpenCode', opencode, ['opencode', 'acp', '--print-logs', '--log-level', 'ERROR']],
  ])('%s is started without its prompt, its session and any word that skips questions', (_name, headless, argv) => {
    const { argv: started, stdin } = programOf(headless, { model: 'a-model', resume: null })
    expect(started).toEqual(argv)
    expect(stdin).toHaveLength(0)
  })

  it('gives OpenCode its model and its rules in its configuration, over those of the user for these tools', () => {
    const config: unknown = JSON.parse(programOf(opencode, { model: 'a/model' }).env['OPENCODE_CONFIG_CONTENT']!)
    expect(config).toMatchObject({ model: 'a/model', disabled_providers: ['opencode'], permission: 'ask' })
    expect(config).toMatchObject({
      agent: { build: { permission: { '*': 'ask', bash: 'ask', edit: 'ask', read: 'allow' } } },
    })
    expect(JSON.parse(programOf(opencode).env['OPENCODE_CONFIG_CONTENT']!)).not.toHaveProperty('model')
  })

  it('gives each its MCP servers as without people, and no argument with a secret', () => {
    expect(programOf(gemini, { servers: SERVERS }).rootFile?.text).toContain('secret')
    for (const headless of [copilot, opencode]) {
      const { argv, env } = programOf(headless, { servers: SERVERS })
      expect(argv.join(' ')).not.toContain('secret')
      expect(env['SLIPWAY_SERVERS']).toContain('secret')
    }
  })

  it('has no number of turns, because none is told', () => {
    for (const { people } of [gemini, copilot, opencode]) expect(people?.output?.limitsTurns).toBeUndefined()
  })
})
