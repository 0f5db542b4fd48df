import { DIALOG_TEXT_MAX } from '@slipway/protocol'
import { expect, it } from 'vitest'
import { gradeOfTool } from './tools.ts'

const FOLDER = '/home/developer/app'
const deletion = (path: string) =>
  gradeOfTool({ tool: 'apply_patch', path, command: null, isDeleted: true }, FOLDER).tier
const tool = (name: string, path: string | null = null, command: string | null = null) =>
  gradeOfTool({ tool: name, path, command }, FOLDER).tier

it.each([
  ['a command by what it does', tool('Bash', null, 'rm -rf x'), 3],
  ['a command that was cut as one that is too long', tool('Bash', null, `ls${' '.repeat(DIALOG_TEXT_MAX)}`), 3],
  ['a file that is deleted as one', deletion(`${FOLDER}/src/a.ts`), 2],
  ['a file in the folder as a change', tool('Write', `${FOLDER}/src/a.ts`), 1],
  ['a file beside the folder as one outside', tool('Write', '/home/developer/other/a.ts'), 2],
  ['a folder with a longer name as one outside', tool('Write', `${FOLDER}2/a.ts`), 2],
  ['a path that leaves the folder as one outside', tool('Write', `${FOLDER}/../a.ts`), 2],
  ['a file that decides what runs later as settings', tool('Edit', `${FOLDER}/.git/hooks/pre-commit`), 2],
  ['a tool that reads as one', tool('Grep'), 0],
  ['a tool that is not known as one to ask about', tool('mcp__server__delete'), 2],
])('grades %s', (_what, tier, expected) => {
  expect(tier).toBe(expected)
})

it('grades a command that was cut as one that cannot be graded', () => {
  expect(tool('Bash', null, `echo ${'x'.repeat(DIALOG_TEXT_MAX - 6)}…`)).toBe(3)
})
