import { expect, it } from 'vitest'
import { bodyOfComparison, firstTargets, problemsOfTargets, refusalWords } from './targets.ts'

const target = (agent: string, cwd = '', model = '') => ({ agent, provider: 'codex', model, cwd })

it('a target in the folder of an earlier one is refused before it is sent', () => {
  const problems = problemsOfTargets([
    target('a', 'app'),
    target('b', 'app'),
    target('a', '~/app/src'),
    target('a', 'app2'),
  ])
  expect(problems.map((problem) => problem !== null)).toEqual([false, false, true, false])
  expect(problemsOfTargets([target('a'), target('a', 'app')])[1]).toContain('overwrite')
  expect(problemsOfTargets([{ ...target('a'), provider: '' }])).toEqual(['Choose a coding CLI.'])
})

it('the request leaves out what is as usual', () => {
  expect(bodyOfComparison('Fix it', [target('a'), target('b', '~/app/', ' gpt-5 ')])).toEqual({
    prompt: 'Fix it',
    targets: [
      { agent: 'a', provider: 'codex' },
      { agent: 'b', provider: 'codex', model: 'gpt-5', cwd: 'app' },
    ],
  })
})

it('a new comparison begins with two agents whose CLIs differ, if there are such', () => {
  const agents = [
    { name: 'a', runtime: 'codex' },
    { name: 'b', runtime: 'codex' },
    { name: 'c', runtime: 'claude-code' },
  ]
  expect(firstTargets(agents).map(({ agent }) => agent)).toEqual(['a', 'c'])
  expect(firstTargets(agents.slice(0, 1)).map(({ agent }) => agent)).toEqual(['a', 'a'])
  expect(firstTargets([{ name: 'd', runtime: 'bash' }])).toEqual([])
})

it('a refusal is in the words of the page', () => {
  expect(refusalWords('body.cwd: must be a folder')).toBe('The folder must be a folder')
  expect(refusalWords('There is no such agent.')).toBe('There is no such agent.')
})
