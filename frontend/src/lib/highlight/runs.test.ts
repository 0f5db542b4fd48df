import { expect, it } from 'vitest'
import type { Coloured } from './highlight.ts'
import { runsOf } from './runs.ts'

/** Pieces of different colours. */
const line = (...texts: string[]): Coloured[number] => texts.map((text, at) => [text, `#${at}`, `#${at}`])
const wholeIn = (of: Coloured[number]): string[] =>
  runsOf(of)
    .filter(({ isWhole }) => isWhole)
    .map(({ pieces }) => pieces.map(([text]) => text).join(''))

it('an argument with a sign is one run, although its colours divide it', () => {
  expect(wholeIn(line('npm', ' run build ', '-', '- --mode', ' production --', 'out', '', '=/srv/my-app'))).toEqual([
    '--',
    '--mode',
    '--out=/srv/my-app',
  ])
})

it('the runs of a line have its text and its colours, character by character', () => {
  const colours = (of: Coloured[number]): string[] =>
    of.flatMap(([text, light]) => text.split('').map((one) => one + light))
  const of = line('\tcat', '  a', '-b "c', ' d" ', '| wc', ' -l ')
  expect(colours(runsOf(of).flatMap(({ pieces }) => pieces))).toEqual(colours(of))
  expect(runsOf([])).toEqual([])
})
