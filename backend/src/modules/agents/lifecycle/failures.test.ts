import { describe, expect, it } from 'vitest'
import { newSpec } from '../../../../test/conformance/subject.ts'
import { RuntimeError, type RuntimeErrorCode } from '../../../runtime/errors.ts'
import { reasonFor } from './failures.ts'
import { asAppError } from '../../../runtime/app-error.ts'
import { HomeError } from '../home/prepare.ts'

const spec = newSpec('image:1', { memoryMb: 4096 })
const failure = (code: RuntimeErrorCode, message = 'what the engine said') => new RuntimeError(code, message)

describe('a failure of the engine', () => {
  it.each([
    ['image_missing', /image:1/],
    ['no_memory', /4096 MiB/],
    ['name_taken', /what the engine said/],
    ['engine_unavailable', /did not answer/],
  ] as const)('with the code %s says what to do', (code, message) => {
    expect(reasonFor(failure(code), spec)).toEqual({ code, message: expect.stringMatching(message) as string })
  })

  it('of another kind is told in the engine’s words, and not at any length', () => {
    const { code, message } = reasonFor(failure('start_failed', 'x'.repeat(10_000)), spec)
    expect(code).toBe('engine_error')
    expect(message.length).toBeLessThan(400)
  })

  it('is told apart from a home that cannot be written, and from our own faults, which show no details', () => {
    expect(reasonFor(new HomeError('no'), spec)).toEqual({ code: 'home_not_writable', message: 'no' })
    expect(reasonFor(new TypeError('secret'), spec).message).not.toContain('secret')
  })

  it('is answered with a status where a request waits', () => {
    const codes = (['engine_unavailable', 'not_running', 'not_found', 'timed_out', 'engine_error'] as const).map(
      (code) => (asAppError(failure(code)) as { code: string }).code,
    )
    const away = 'ENGINE_UNAVAILABLE'
    expect(codes).toEqual([away, 'WRONG_STATE', 'WRONG_STATE', away, away])
    const own = new TypeError('ours')
    expect(asAppError(own)).toBe(own)
  })
})
