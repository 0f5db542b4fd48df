import { describe, expect, it } from 'vitest'
import { type Facts, reasonForExit, stateOf } from './state.ts'

const container = { id: 'c', running: false, fingerprint: '', startedAt: null }
const failure = { code: 'image_missing', message: 'no image' } as const
const note = { code: 'exited', message: 'stopped' } as const
const facts = (change: Partial<Facts> = {}): Facts => ({
  operation: null,
  container,
  failure: null,
  note: null,
  hasHome: true,
  engineUp: true,
  ...change,
})

describe('the state of an agent', () => {
  it('is what is being done to it, before anything else', () => {
    const change = { operation: 'stopping', engineUp: false, failure } as const
    expect(stateOf(facts(change))).toEqual({ state: 'stopping', reason: null })
  })

  it('is failed while the engine is away, with every earlier state', () => {
    const running = { ...container, running: true }
    expect(stateOf(facts({ engineUp: false, container: running }))).toMatchObject({
      state: 'failed',
      reason: { code: 'engine_unavailable' },
    })
  })

  it('is running while its container runs, and failed or stopped with the reason otherwise', () => {
    expect(stateOf(facts({ container: { ...container, running: true }, failure }))).toEqual({
      state: 'running',
      reason: null,
    })
    expect(stateOf(facts({ failure, note }))).toEqual({ state: 'failed', reason: failure })
    expect(stateOf(facts({ note }))).toEqual({ state: 'stopped', reason: note })
    expect(stateOf(facts())).toEqual({ state: 'stopped', reason: null })
  })

  it('says so when there is no container', () => {
    expect(stateOf(facts({ container: null }))).toMatchObject({ state: 'stopped', reason: { code: 'removed' } })
  })
})

describe('the reason for an end that no user asked for', () => {
  it.each([
    [0, 'note', 'exited'],
    [143, 'note', 'exited'],
    [1, 'failure', 'exited'],
    [137, 'failure', 'exited'],
    [255, 'failure', 'exited'],
  ] as const)('with the exit code %d is a %s', (exitCode, kind, code) => {
    expect(reasonForExit(exitCode, false)[kind]).toMatchObject({ code, exitCode })
  })

  it('is the memory where a memory kill was told and the kill was what ended it', () => {
    expect(reasonForExit(137, true).failure).toMatchObject({ code: 'out_of_memory', exitCode: 137 })
    expect(reasonForExit(1, true).failure).toMatchObject({ code: 'exited' })
  })
})
