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

  it('rejects as soon as the condition does', async () => {
    const fails = (): Promise<boolean> => Promise.reject(new Error('the server is gone'))
    await expect(until('it', fails)).rejects.toThrow('the server is gone')
  })
})
