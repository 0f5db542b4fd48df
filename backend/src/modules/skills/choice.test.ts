import { SKILLS_PER_PROMPT, type SkillSource } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { chosenSkills, presentChoice } from './choice.ts'
import { charactersOf, folderOf, promptWith } from './rendered.ts'
import type { OwnedSkill } from './skill.ts'

interface Wanted {
  readonly of?: SkillSource
  readonly triggers?: readonly string[]
  readonly priority?: number
  readonly enabled?: boolean
  readonly body?: string
}

const skill = (name: string, wanted: Wanted = {}): OwnedSkill => {
  const { of = 'platform', triggers = [], priority = 0, enabled = true, body = 'Do it.' } = wanted
  const texts = { name, description: 'says how.', license: null, compatibility: null, metadata: {} }
  return { of, enabled, files: [], skill: { ...texts, triggers, priority, body } }
}
/** The names of those that a prompt gets, and why it does not get the others. */
const choose = (skills: readonly OwnedSkill[], prompt: string, budget = 4000) => {
  const all = chosenSkills(skills, prompt, budget)
  return {
    gets: all.filter(({ refused }) => refused === null).map(({ owned }) => owned.skill.name),
    not: Object.fromEntries(
      all
        .filter(({ refused }) => refused !== null)
        .map((one) => [`${one.owned.skill.name} of ${one.owned.of}`, one.refused]),
    ),
  }
}

describe('the skills of a prompt', () => {
  it.each([
    ['the word', 'Write the Release notes', true],
    ['the word at the end', 'make a release', true],
    ['it as a part of a longer word', 'make releases', false],
    ['it within a word', 'prerelease', false],
    ['it beside a sign', '(release)', true],
    ['no such word', 'Write a poem', false],
  ])('have one whose trigger is in a prompt with %s: %s', (_what, prompt, isGiven) => {
    expect(choose([skill('a', { triggers: ['release'] })], prompt).gets).toEqual(isGiven ? ['a'] : [])
  })

  it('have one whose trigger is a sign, several words, or in a script without blanks', () => {
    for (const [trigger, prompt] of [
      ['c++', 'in C++, please'],
      ['release notes', 'the release notes'],
      ['発行', 'これを発行する'],
    ] as const)
      expect(choose([skill('a', { triggers: [trigger] })], prompt).gets).toEqual(['a'])
  })

  it('come by their triggers, then by priority, then by their owner, and those without triggers last', () => {
    const skills = [
      skill('always', { priority: 1000 }),
      skill('low', { triggers: ['go'], priority: -1 }),
      skill('platform', { triggers: ['go'] }),
      skill('user', { triggers: ['go'], of: 'user' }),
      skill('high', { triggers: ['go'], priority: 5 }),
    ]
    expect(choose(skills, 'go').gets).toEqual(['high', 'user', 'platform', 'low', 'always'])
  })

  it('are one of each name: the agent’s, else the user’s, else the platform’s, else the repository’s', () => {
    const of = (source: SkillSource, enabled = true) => skill('a', { of: source, enabled })
    const all = [of('repository'), of('platform'), of('user'), of('agent')]
    expect(choose(all, 'x').not).toEqual({
      'a of user': 'replaced',
      'a of platform': 'replaced',
      'a of repository': 'replaced',
    })
    expect(choose([of('agent', false), of('platform')], 'x')).toEqual({
      gets: ['a'],
      not: { 'a of agent': 'switched_off' },
    })
  })

  it('fit into the budget: one that does not is left out, and a smaller one still fits', () => {
    const [small, large] = [skill('small'), skill('large', { priority: 1, body: 'x'.repeat(4000) })]
    expect(choose([small, large], 'x', 4000)).toEqual({ gets: ['small'], not: { 'large of platform': 'over_budget' } })
    expect(choose([small, large], 'x', charactersOf(small) + charactersOf(large)).gets).toEqual(['large', 'small'])
    expect(choose([small], 'x', charactersOf(small)).gets).toEqual(['small'])
    expect(choose([small], 'x', charactersOf(small) - 1).gets).toEqual([])
    expect(choose([small], 'x', 0).gets).toEqual([])
  })

  it('are only so many', () => {
    const many = Array.from({ length: SKILLS_PER_PROMPT + 1 }, (_, at) => skill(`s${String(at).padStart(2, '0')}`))
    expect(choose(many, 'x', 40_000).not).toEqual({ 's20 of platform': 'too_many' })
  })

  it('are shown with the trigger and with what they cost', () => {
    const own = skill('a', { triggers: ['go', 'run'] })
    expect(chosenSkills([own], 'Now run', 4000).map(presentChoice)).toEqual([
      {
        ...{ of: 'platform', name: 'a', description: 'says how.', triggers: ['go', 'run'], priority: 0 },
        ...{ refused: null, because: 'trigger', trigger: 'run', characters: charactersOf(own) },
      },
    ])
  })
})

describe('a skill', () => {
  it('in a prompt is marked, stands behind the prompt, and takes what it costs', () => {
    const own = skill('a')
    const prompt = promptWith('/review this', [own], null)
    expect(prompt).toMatch(/^\/review this\n\nSlipway chose these skills/)
    const part = '<skill name="a" from="platform">\nsays how.\n\nDo it.\n</skill>'
    expect(prompt).toContain(part)
    expect(charactersOf(own)).toBe(part.length)
  })

  it('in a folder has no field but those that tell a model about it', () => {
    const own = {
      ...skill('a'),
      files: [
        { path: 'scripts/x.sh', text: '#!/bin/sh\n' },
        { path: 'b.md', text: 'B' },
      ],
    }
    const described = { ...own, skill: { ...own.skill, description: 'a: "b" # c', triggers: ['x'], license: 'MIT' } }
    expect(folderOf([described])).toEqual([
      expect.objectContaining({ path: '.claude-plugin/plugin.json' }),
      {
        path: 'skills/a/SKILL.md',
        mode: '0600',
        text: '---\n"name": "a"\n"description": "a: \\"b\\" # c"\n"license": "MIT"\n---\n\nDo it.\n',
      },
      { path: 'skills/a/scripts/x.sh', mode: '0700', text: '#!/bin/sh\n' },
      { path: 'skills/a/b.md', mode: '0600', text: 'B' },
    ])
  })
})
