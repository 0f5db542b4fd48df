import { describe, expect, it } from 'vitest'
import { parseJsonc } from './jsonc.ts'
import { needsDecision, offerIn } from './offer.ts'

const context = { folder: '/home/developer/api', images: ['allowed:1'] }
const offer = (file: unknown) => offerIn('.devcontainer.json', JSON.stringify(file), context)

describe('JSON with comments', () => {
  it.each([
    ['{"a": 1}', { a: 1 }],
    ['\uFEFF// first\n{ /* one */ "a": [1, 2, /* last */ ], // two\n}', { a: [1, 2] }],
    [
      '{"url": "https://x/*y*/", "quote": "\\"// no comment", "comma": ",]"}',
      { url: 'https://x/*y*/', quote: '"// no comment', comma: ',]' },
    ],
    ['[1,\n// end\n]', [1]],
  ])('%j', (text, value) => {
    expect(parseJsonc(text)).toEqual(value)
  })

  it.each(['{', '{"a": 1,,}', '/* open', '/*/', '[1]/*', '"open', '"a\nb"', ''])('is not %j', (text) => {
    expect(() => parseJsonc(text)).toThrow(SyntaxError)
  })

  it.each([
    ['comments and commas', `[${', /**/ '.repeat(7_000)}`],
    ['a string without an end', `"${'\\"'.repeat(30_000)}\n`.repeat(2)],
    ['comments without an end', '/*a'.repeat(20_000)],
  ])('takes no longer for a text that has only %s', (_what, text) => {
    const began = process.cpuUsage()
    expect(() => parseJsonc(text)).toThrow(SyntaxError)
    expect(process.cpuUsage(began).user).toBeLessThan(2_000_000)
  })
})

describe('a devcontainer.json', () => {
  it('offers an image, variables, a command and ports', () => {
    expect(
      offer({
        ...{ name: 'api', image: 'allowed:1', build: { dockerfile: 'x' }, forwardPorts: [3000, 3000, 'db:5432', 0] },
        containerEnv: { PORT: '3000', ROOT: '${containerWorkspaceFolder}/src' },
        postCreateCommand: 'npm ci',
      }),
    ).toEqual({
      ...{ path: '.devcontainer.json', problem: null, image: { name: 'allowed:1', isAllowed: true } },
      containerEnv: [
        { name: 'PORT', value: '3000', problem: null },
        { name: 'ROOT', value: '/home/developer/api/src', problem: null },
      ],
      postCreateCommand: [{ name: null, command: 'npm ci' }],
      ...{ forwardPorts: [3000], unused: ['build'] },
    })
  })

  it.each([
    ['a text', 'npm ci && npm test', [{ name: null, command: 'npm ci && npm test' }]],
    ['a program', ['npm', 'ci', '--no-audit'], [{ name: null, command: ['npm', 'ci', '--no-audit'] }]],
    [
      'several at the same time',
      { deps: 'npm ci', db: ['make', 'db'] },
      [
        { name: 'deps', command: 'npm ci' },
        { name: 'db', command: ['make', 'db'] },
      ],
    ],
    ['nothing', '', []],
  ])('has %s as its command', (_what, postCreateCommand, commands) => {
    expect(offer({ postCreateCommand }).postCreateCommand).toEqual(commands)
  })

  it.each([
    ['a number', 1],
    ['a program that is an option', ['-c', 'id']],
    ['a program without a name', ['']],
    ['an argument that is no text', ['echo', 1]],
    ['a text that is longer than it shows', 'npm ci #\u202E moc.elpmaxe'],
    ['an escape sequence', 'npm ci\u001b[8m; id'],
    ['a variable of the machine', 'echo ${localEnv:HOME}'],
    ['too many', Object.fromEntries(Array.from({ length: 17 }, (_none, at) => [`c${at}`, 'id']))],
    ['a list in a list', { a: [['id']] }],
  ])('with %s as its command does not offer it', (_what, postCreateCommand) => {
    expect(offer({ postCreateCommand })).toMatchObject({ postCreateCommand: [], unused: ['postCreateCommand'] })
  })

  it('sets no variable that decides where keys go, or which programs run', () => {
    const names = [
      'ANTHROPIC_BASE_URL',
      'https_proxy',
      'LD_PRELOAD',
      'NODE_OPTIONS',
      'GIT_SSH_COMMAND',
      'BASH_ENV',
      'PYTHONPATH',
    ]
    const { containerEnv } = offer({ containerEnv: Object.fromEntries(names.map((name) => [name, 'x'])) })
    expect(containerEnv.map(({ name }) => name)).toEqual(names)
    for (const { problem } of containerEnv) expect(problem).toContain('Only the owner')
  })

  it('leaves out variables of the platform, and says which values are not known', () => {
    const containerEnv = { PATH: '/x', SLIPWAY_SESSION: 'x', 'A B': 'x', A: '${localEnv:A}', B: 1, C: 'a\u0000b' }
    expect(offer({ containerEnv }).containerEnv).toEqual([
      { name: 'A', value: '${localEnv:A}', problem: 'Its value is not known here.' },
      { name: 'B', value: '1', problem: 'Its value is not known here.' },
      { name: 'C', value: 'ab', problem: 'Its value is not allowed.' },
    ])
  })

  it.each([
    ['{', 'The file is no JSON.'],
    ['[]', 'The file has no properties.'],
    [`"${'x'.repeat(70_000)}"`, 'The file is larger than 64 KiB.'],
  ])('%# offers nothing, and says why', (text, problem) => {
    const made = offerIn('x', text, context)
    expect(made).toMatchObject({ problem, image: null, postCreateCommand: [] })
    expect(needsDecision(made)).toBe(false)
  })

  it('has any value of a variable, and any name, without an error, as texts that a database takes', () => {
    const { containerEnv, unused } = offer({ containerEnv: { A: { toString: 1 } }, [`${'a'.repeat(99)}😀`]: 1 })
    expect(containerEnv).toMatchObject([{ name: 'A', value: '{"toString":1}' }])
    expect(unused.map((name) => name.isWellFormed())).toEqual([true])
  })

  it('with `__proto__` changes nothing', () => {
    const made = offerIn('x', '{"__proto__": {"image": "allowed:1"}, "constructor": 1}', context)
    expect(made).toMatchObject({ image: null, unused: ['__proto__', 'constructor'] })
  })

  it.each([
    [{ image: 'other:1', forwardPorts: [1] }, false],
    [{ image: 'allowed:1' }, true],
    [{ containerEnv: { LD_PRELOAD: 'x' } }, false],
    [{ containerEnv: { A: 'x' } }, true],
    [{ postCreateCommand: 'id' }, true],
  ])('%j needs a decision: %s', (file, needed) => {
    expect(needsDecision(offer(file))).toBe(needed)
  })
})
