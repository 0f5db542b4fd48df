import { describe, expect, it } from 'vitest'
import { Signal } from '../../lib/emitter.ts'
import type { Revocation } from './revocations.ts'
import { SharedChecks } from './shared-checks.ts'

const setup = () => {
  const revocations = new Signal<Revocation>()
  const checks = new SharedChecks<string>(revocations)
  const begun: PromiseWithResolvers<string>[] = []
  const ask = (token = 'token'): Promise<string> =>
    checks.run(token, () => {
      const check = Promise.withResolvers<string>()
      begun.push(check)
      return check.promise
    })
  return { revocations, begun, ask }
}

describe('checks of a token', () => {
  it('are one where they are under way at the same time', async () => {
    const { begun, ask } = setup()
    const answers = Promise.all([ask(), ask(), ask()])
    expect(begun).toHaveLength(1)
    begun[0]!.resolve('ann')
    expect(await answers).toEqual(['ann', 'ann', 'ann'])
  })

  it('are not kept: a later caller is looked up anew', async () => {
    const { begun, ask } = setup()
    const first = ask()
    begun[0]!.resolve('ann')
    await first
    const second = ask()
    begun[1]!.resolve('nobody')
    expect(await second).toBe('nobody')
  })

  it('are not shared with those that began before something was revoked', async () => {
    const { revocations, begun, ask } = setup()
    const early = ask()
    revocations.emit({ kind: 'api_token', tokenId: 'another', because: 'revoked' })
    const late = [ask(), ask()]
    expect(begun).toHaveLength(2)
    begun[0]!.resolve('ann')
    expect(await early).toBe('ann')
    // The end of the early check does not affect those that came after it.
    const last = ask()
    expect(begun).toHaveLength(2)
    begun[1]!.resolve('nobody')
    expect(await Promise.all([...late, last])).toEqual(['nobody', 'nobody', 'nobody'])
  })

  it('are of one token each', () => {
    const { begun, ask } = setup()
    void ask('one')
    void ask('another')
    expect(begun).toHaveLength(2)
  })

  it('fail for every waiting caller, and for no later one', async () => {
    const { begun, ask } = setup()
    const both = [ask(), ask()]
    begun[0]!.reject(new Error('the database does not answer'))
    for (const one of both) await expect(one).rejects.toThrow('does not answer')
    const later = ask()
    begun[1]!.resolve('ann')
    expect(await later).toBe('ann')
  })
})
