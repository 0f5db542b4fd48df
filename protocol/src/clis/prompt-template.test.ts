import { describe, expect, it } from 'vitest'
import { entriesOf, expanded, takesMcpConfig } from './prompt-template.ts'

describe('a template', () => {
  it.each<[what: string, template: string, entries: readonly string[] | null]>([
    ['blanks', '  --message   {prompt}\n', ['--message', '{prompt}']],
    ['quotes', `--a 'x  y' "z 'w'" --b='c d'e`, ['--a', 'x  y', "z 'w'", '--b=c de']],
    ['backslashes', String.raw`a\ b "c\"\\\n" 'd\e' \'`, ['a b', String.raw`c"\\n`, String.raw`d\e`, "'"]],
    ['an empty entry', `--x '' ""`, ['--x', '', '']],
    ['the words of a shell', '$(id) `id` $HOME ; | > *', ['$(id)', '`id`', '$HOME', ';', '|', '>', '*']],
    ['nothing', ' ', []],
    ['a quote that is not closed', `--x 'y`, null],
    ['a backslash at its end', '--x \\', null],
  ])('with %s is split', (_what, template, entries) => {
    expect(entriesOf(template)).toEqual(entries)
  })
})

describe('the placeholders of a template', () => {
  const values = { prompt: `it's "a b" $(id) {model} $&`, cwd: '/home/developer/my project', model: 'gpt-5' }
  const fill = (template: string, model: string | null = 'gpt-5', mcp_config: string | null = null) =>
    expanded(entriesOf(template) ?? [], { ...values, model, mcp_config })

  it('are replaced within their entry, whatever the values contain', () => {
    expect(fill('-C {cwd} --message={prompt}/{prompt} {other}')).toEqual([
      ...['-C', values.cwd, `--message=${values.prompt}/${values.prompt}`, '{other}'],
    ])
  })

  it.each([
    ['--model={model} {prompt}', ['PROMPT']],
    ['-m {model} {prompt}', ['PROMPT']],
    ['--yes x {model} {prompt}', ['--yes', 'x', 'PROMPT']],
    ['-m x{model} -- {prompt}', ['-m', '--', 'PROMPT']],
  ])('leave out what names the model in "%s" if there is none', (template, entries) => {
    expect(fill(template, null)).toEqual(entries.map((entry) => (entry === 'PROMPT' ? values.prompt : entry)))
  })

  it('leave out what names the file of the connectors if there are none', () => {
    const template = '--mcp {mcp_config} -m {model} --mcp={mcp_config} {prompt}'
    expect(fill(template)).toEqual(['-m', 'gpt-5', values.prompt])
    expect(fill(template, null, '/a/b')).toEqual(['--mcp', '/a/b', '--mcp=/a/b', values.prompt])
  })

  it('tell whether a CLI gets connectors', () => {
    const cli = { binary: 'x', defaultArgs: ['{mcp_config}'], promptVia: 'stdin' } as const
    expect(takesMcpConfig({ ...cli, promptTemplate: '--mcp={mcp_config}' })).toBe(true)
    expect(takesMcpConfig({ ...cli, promptTemplate: null })).toBe(false)
  })
})
