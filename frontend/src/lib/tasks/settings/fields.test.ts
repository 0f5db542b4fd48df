import { describe, expect, it } from 'vitest'
import { bodyOf as connectorBody, formOf as connectorForm, problemsOf } from './connectorFields.ts'
import { listIn, textOfTexts, textsIn } from './lines.ts'
import { creationOf, dryRun, formOf } from './providerFields.ts'

describe('lines', () => {
  it('are a list as they are, without empty ones', () => {
    expect(listIn('--yes\r\n\n a b ')).toEqual(['--yes', ' a b '])
  })

  it('are texts by name, whose values may have the separator', () => {
    expect(textsIn('A=b=c\nX=', '=')).toEqual({ A: 'b=c', X: '' })
    expect(textsIn('X-Team:  blue: 1', ':')).toEqual({ 'X-Team': 'blue: 1' })
    expect([textsIn('none', '='), textsIn('=x', '=')]).toEqual([null, null])
    expect(textOfTexts({ A: '1', B: '2' }, '=')).toBe('A=1\nB=2')
  })
})

describe('the form of a custom provider', () => {
  const form = { ...formOf(), name: ' aider ', displayName: 'Aider', binary: 'aider', defaultArgs: '--yes\n--x y' }

  it('sends what it has, and no key where none is used', () => {
    expect(creationOf({ ...form, apiKeyEnvVar: 'KEY' })).toMatchObject({
      ...{ name: 'aider', default_args: ['--yes', '--x y'], prompt_template: null, api_key_env_var: null },
      ...{ default_timeout_ms: 300_000, max_timeout_ms: 1_800_000, config_service_name: null },
    })
  })

  it('shows the arguments of a task in a dry run', () => {
    const values = { prompt: 'do "it"', cwd: '/home/developer', model: '' }
    expect(dryRun(form, values)).toEqual(['aider', '--yes', '--x y', 'do "it"'])
    expect(dryRun({ ...form, promptTemplate: '-m {model} -C {cwd}', promptVia: 'file' }, values)).toEqual([
      ...['aider', '--yes', '--x y', '-C', '/home/developer', '/proc/77/fd/3'],
    ])
    expect(dryRun({ ...form, promptTemplate: '--mcp={mcp_config} {prompt}' }, values)).toEqual([
      ...['aider', '--yes', '--x y', '--mcp=/proc/77/fd/5', 'do "it"'],
    ])
    expect(dryRun({ ...form, promptTemplate: "'" }, values)).toBeNull()
    expect(dryRun({ ...form, binary: ' ' }, values)).toBeNull()
  })
})

describe('the form of a connector', () => {
  it('sends the fields of its kind only', () => {
    const form = {
      ...connectorForm(),
      name: 'x',
      url: ' https://a.example ',
      headers: 'A: b',
      secrets: 'K=v',
      args: '1',
    }
    expect(connectorBody(form)).toEqual({
      ...{ kind: 'http', enabled: true, url: 'https://a.example', headers: { A: 'b' }, secrets: { K: 'v' } },
    })
    expect(connectorBody({ ...form, kind: 'stdio', command: 'npx', secrets: '' })).toEqual({
      ...{ kind: 'stdio', enabled: true, command: 'npx', args: ['1'], env: {} },
    })
  })

  it('says which lines cannot be read', () => {
    expect(Object.keys(problemsOf({ ...connectorForm(), headers: 'x', env: 'y', secrets: 'z' }))).toEqual([
      'headers',
      'secrets',
    ])
  })
})
