import { SKILL_TEXT_MAX } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { readSkillText } from './skill-text.ts'

const DESCRIBED = 'description: says how.'
const MANY = Array.from({ length: 21 }, (_, at) => `a${at}`).join()
const textOf = (...fields: readonly string[]): string => `---\n${fields.join('\n')}\n---\n\nDo it.\n`
const problemsOf = (text: string): string[] =>
  readSkillText(text).problems.map(({ field, message }) => `${field}: ${message}`)

describe('a SKILL.md', () => {
  it('has the fields of agentskills.io, and triggers and a priority at the top', () => {
    const fields = [
      'license: MIT',
      'compatibility: needs git',
      'allowed-tools: Bash(git:*) Read',
      'metadata:',
      '  version: 1.0',
    ]
    const text = textOf('name: release-notes', DESCRIBED, ...fields, 'triggers: ["Release", notes]', 'priority: 100')
    expect(readSkillText(text)).toEqual({
      problems: [],
      skill: {
        name: 'release-notes',
        description: 'says how.',
        license: 'MIT',
        compatibility: 'needs git',
        metadata: { version: '1.0' },
        triggers: ['release', 'notes'],
        priority: 100,
        body: 'Do it.',
      },
    })
  })

  it.each([
    ['a list', ['metadata:', '  triggers: [Release, notes]', '  priority: "-5"']],
    ['one text', ['metadata:', '  triggers: release, notes', '  priority: -5']],
  ])('may have them in its metadata, as %s', (_what, fields) => {
    expect(readSkillText(textOf('name: a', DESCRIBED, ...fields)).skill).toMatchObject({
      ...{ triggers: ['release', 'notes'], priority: -5, metadata: {} },
    })
  })

  it('may have the line ends of Windows', () => {
    expect(readSkillText(textOf('name: a', DESCRIBED).replaceAll('\n', '\r\n')).problems).toEqual([])
  })

  it('has a message for each field that is wrong', () => {
    const fields = ['name: A_b', 'description: ""', 'license: [x]', 'compatibility: ' + 'x'.repeat(501), 'metadata: x']
    const text = textOf(...fields, 'allowed-tools: {a: b}', 'triggers: [""]', 'priority: high', 'hooks: x')
    expect(
      readSkillText(text)
        .problems.map(({ field }) => field)
        .toSorted(),
    ).toEqual([
      ...[
        'allowed-tools',
        'compatibility',
        'description',
        'hooks',
        'license',
        'metadata',
        'name',
        'priority',
        'triggers',
      ],
    ])
    expect(readSkillText(text).skill).toBeNull()
  })

  it.each<[string, string, RegExp]>([
    ['no front matter', 'Do it.', /^SKILL\.md: must begin with front matter/],
    ['front matter that does not end', '---\nname: a\n', /^SKILL\.md: must begin/],
    ['front matter that is no YAML', textOf('name: [a'), /^SKILL\.md: has front matter that is not valid: /],
    ['front matter that is a list', textOf('- name'), /^SKILL\.md: .*must have fields/],
    ['a field twice', textOf('name: a', 'name: b', DESCRIBED), /^SKILL\.md: .*unique/],
    ['no name', textOf(DESCRIBED), /^name: is needed/],
    ['no description', textOf('name: a'), /^description: is needed/],
    ['a name that is too long', textOf(`name: ${'a'.repeat(65)}`, DESCRIBED), /^name: has more than 64/],
    ['a name with two hyphens', textOf('name: a--b', DESCRIBED), /^name: may have lower-case/],
    ['a description that is too long', textOf('name: a', `description: ${'a'.repeat(1025)}`), /^description: .*1024/],
    ['an alias', textOf('name: &n a', DESCRIBED, 'license: *n'), /^license: must be a text/],
    ['triggers twice', textOf('name: a', DESCRIBED, 'triggers: [a]', 'metadata: {triggers: b}'), /^triggers: .*twice/],
    ['too many triggers', textOf('name: a', DESCRIBED, `triggers: [${MANY}]`), /20/],
    ['a priority that is too high', textOf('name: a', DESCRIBED, 'priority: 1001'), /^priority: .*from -1000 to 1000/],
    ['no instructions', `---\nname: a\n${DESCRIBED}\n---\n`, /^body: is empty/],
    ['a command of Claude Code', textOf('name: a', DESCRIBED) + 'Now: !`id`', /^body: .*would run/],
    ['a block of commands', textOf('name: a', DESCRIBED) + '```!\nid\n```', /^body: .*would run/],
    ['a mark of direction', textOf('name: a', DESCRIBED) + 'a\u202eb', /^SKILL\.md: .*U\+202E/],
    ['a character without a width', textOf('name: a', 'description: a\u200bb'), /^SKILL\.md: .*U\+200B/],
    ['a text in tags', textOf('name: a', DESCRIBED) + '\u{e0041}', /^SKILL\.md: .*U\+E0041/],
    ['too many characters', textOf('name: a', DESCRIBED) + 'a'.repeat(SKILL_TEXT_MAX), /^SKILL\.md: has more than/],
  ])('with %s is refused', (_what, text, message) => {
    expect(problemsOf(text)).toEqual([expect.stringMatching(message)])
  })

  it('with aliases that refer to aliases is refused at once', () => {
    const lines = Array.from({ length: 20 }, (_, at) => `a${at}: &a${at} [${`*a${at - 1},`.repeat(at === 0 ? 0 : 9)}]`)
    const start = process.cpuUsage()
    expect(readSkillText(textOf('name: a', DESCRIBED, ...lines)).skill).toBeNull()
    expect(process.cpuUsage(start).user).toBeLessThan(1_000_000)
  })
})
