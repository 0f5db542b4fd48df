import { expect, it } from 'vitest'
import type { RunRow } from './repository.ts'
import { toSession } from './view.ts'

const BEGAN = { createdAt: new Date(0), startedAt: null, continuesAt: null, endedAt: null, archivedAt: null }
const inPiecesOf = (facts: Partial<RunRow>): string[] =>
  toSession({ ...BEGAN, outputFormat: null, displayName: null, policy: null, ...facts } as RunRow).inPieces

it('says of a task whether its CLI tells texts in pieces, which may depend on whether it asks people', () => {
  expect(inPiecesOf({ provider: 'opencode' })).toEqual([])
  expect(inPiecesOf({ provider: 'opencode', policy: 'skip' })).toEqual([])
  for (const policy of ['ask', 'tiers'] as const)
    expect(inPiecesOf({ provider: 'opencode', policy })).toEqual(['text', 'thinking'])
  expect(inPiecesOf({ provider: 'claude-code', policy: 'ask' })).toEqual([])
  expect(inPiecesOf({ provider: 'gemini-cli' })).toEqual(['text'])
})

it('says that texts are whole of a task whose output is read as that of another program', () => {
  expect(inPiecesOf({ provider: 'gemini-cli', outputFormat: 'text' })).toEqual([])
  expect(inPiecesOf({ provider: 'unknown' })).toEqual([])
})
