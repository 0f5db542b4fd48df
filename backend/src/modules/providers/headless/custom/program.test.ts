import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { A_TASK } from '../../../../../test/support/headless/reading.ts'
import type { HeadlessOptions } from '../headless.ts'
import type { McpServer } from '../mcp/server.ts'
import { customHeadless } from '../custom.ts'
import { type CustomCli, programOf, refusalOf } from './program.ts'

const CLI: CustomCli = {
  binary: 'aider',
  defaultArgs: ['--yes', '{prompt}'],
  promptTemplate: null,
  promptVia: 'argument',
  outputFormat: 'text',
}
const OPTIONS: HeadlessOptions = { ...A_TASK, prompt: '- "do" $(it)\n', folder: '/home/developer' }
const run = (cli: Partial<CustomCli> = {}) => {
  const { argv, env, stdin } = programOf({ ...CLI, ...cli }, OPTIONS)
  expect(env).toEqual({})
  return { argv, stdin: Buffer.from(stdin).toString() }
}
const refusal = (cli: Partial<CustomCli>, options: Partial<HeadlessOptions>) =>
  refusalOf({ ...CLI, ...cli }, { ...OPTIONS, ...options })

describe('the program of a custom provider', () => {
  it('gets the prompt as its last argument, as one entry', () => {
    expect(run()).toEqual({ argv: ['aider', '--yes', '{prompt}', OPTIONS.prompt], stdin: '' })
  })

  it('gets the prompt where its template says', () => {
    const promptTemplate = '--message={prompt} --in {cwd} -m {model}'
    const argv = ['aider', '--yes', '{prompt}', `--message=${OPTIONS.prompt}`, '--in', '/home/developer']
    expect(run({ promptTemplate })).toEqual({ argv, stdin: '' })
  })

  it('gets the prompt on its standard input, and not as an argument', () => {
    const promptTemplate = '-m {model} -'
    expect(run({ promptVia: 'stdin' })).toEqual({ argv: ['aider', '--yes', '{prompt}'], stdin: OPTIONS.prompt })
    expect(run({ promptVia: 'stdin', promptTemplate }).argv).toEqual(['aider', '--yes', '{prompt}', '-'])
  })

  it('gets the prompt in a file, and no argument has it', () => {
    const { argv, stdin } = run({ promptVia: 'file', promptTemplate: '--message-file' })
    expect(argv.slice(-4)).toEqual(['aider', '--yes', '{prompt}', '--message-file'])
    expect(argv.join(' ')).not.toContain(OPTIONS.prompt)
    expect(stdin).toBe(OPTIONS.prompt)
  })
})

describe('the servers of a custom provider', () => {
  const servers: readonly McpServer[] = [
    { name: 'far', transport: { kind: 'http', url: 'https://x.example/', headers: { A: 'the-secret' } } },
  ]

  it.each<[CustomCli['promptVia'], RegExp]>([
    ['argument', /^\{mcp_config\}$/],
    ['stdin', /^$/],
    ['file', /^\/proc\/\d+\/fd\/3$/],
  ])('are in a file like Claude’s, beside the prompt as %s', (promptVia, last) => {
    const template = `--mcp={mcp_config} {mcp_config}${promptVia === 'argument' ? ' {prompt}' : ''}`
    // Prints the file, and its arguments.
    const cli = { binary: 'sh', defaultArgs: ['-c', 'cat "$2"; printf "\\n%s" "$@"', 'sh'], promptVia }
    const options = { ...OPTIONS, prompt: '{mcp_config}', servers }
    const { argv, env, stdin } = programOf({ ...CLI, ...cli, promptTemplate: template }, options)
    expect(argv.join(' ')).not.toContain('the-secret')
    const [program = '', ...args] = argv
    const inherited = { env: { ...process.env, ...env }, input: stdin, encoding: 'utf8' } as const
    const [text = '', option, path, prompt = ''] = execFileSync(program, args, inherited).split('\n')
    expect(JSON.parse(text)).toEqual({
      mcpServers: { far: { type: 'http', url: 'https://x.example/', headers: { A: 'the-secret' } } },
    })
    expect(path).toMatch(/^\/proc\/\d+\/fd\/5$/)
    expect(option).toBe(`--mcp=${path}`)
    expect(prompt).toMatch(last)
  })

  it('are no part of it if there are none, and it says whether it takes them', () => {
    const promptTemplate = '--mcp {mcp_config} {prompt}'
    expect(run({ promptTemplate }).argv).toEqual(['aider', '--yes', '{prompt}', OPTIONS.prompt])
    expect(customHeadless({ ...CLI, promptTemplate }).takesServers).toBe(true)
    expect(customHeadless(CLI)).not.toHaveProperty('takesServers')
  })
})

describe('a task that a custom provider cannot run', () => {
  it('has a prompt that is longer than an argument', () => {
    expect(refusal({}, { prompt: 'x'.repeat(131_071) })).toBeNull()
    expect(refusal({}, { prompt: 'x'.repeat(131_072) })).toMatch(/^prompt: .*131072 bytes.*prompt_via: stdin/)
    expect(refusal({}, { prompt: 'é'.repeat(65_536) })).toMatch(/^prompt:/)
    expect(refusal({ promptTemplate: '--message={prompt}' }, { prompt: 'x'.repeat(131_071) })).toMatch(/^prompt:/)
    for (const promptVia of ['stdin', 'file'] as const)
      expect(refusal({ promptVia }, { prompt: 'x'.repeat(1_048_576) })).toBeNull()
  })

  it('has arguments that are too long together', () => {
    const promptTemplate = '{prompt} '.repeat(20)
    expect(refusal({ promptTemplate }, { prompt: 'x'.repeat(100_000) })).toMatch(/^prompt:/)
  })

  it('names a model that no argument tells', () => {
    expect(refusal({}, { model: 'gpt-5' })).toMatch(/^model: .*\{model\}/)
    expect(refusal({ promptTemplate: '-m {model} {prompt}' }, { model: 'gpt-5' })).toBeNull()
  })
})
