import { describe, expect, it } from 'vitest'
import { until } from './until.ts'

describe('waiting for a condition', () => {
  it.each([0, '', 'text', true, {}])('resolves with %j as soon as that is the answer', async (answer) => {
    const answers = [false, null, undefined, answer, 'too late']
    expect(await until('it', () => answers.shift())).toBe(answer)
    expect(answers).toEqual(['too late'])
  })

  it('rejects at the deadline, and names what did not come', async () => {
    await expect(until('a miracle', async () => false, 30)).rejects.toThrow('waited 30 ms in vain for a miracle')
  })

  it('checks seldom what takes long, so that it leaves the machine to what it waits for', async () => {
    let checks = 0
    await expect(until('a miracle', () => void (checks += 1), 1_000)).rejects.toThrow('a miracle')
    // A check every 20 ms would be 50.
    expect(checks).toBeLessThan(35)
  })

  it('rejects as soon as the condition does', async () => {
    const fails = (): Promise<boolean> => Promise.reject(new Error('the server is gone'))
    await expect(until('it', fails)).rejects.toThrow('the server is gone')
  })
})
