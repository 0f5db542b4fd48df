import { describe, expect, it } from 'vitest'
import { Batches } from './batches.ts'

describe('batches', () => {
  const setup = (refused = '') => {
    const done: string[][] = []
    const go = Promise.withResolvers<undefined>()
    let tries = 0
    const work = async (items: readonly string[]): Promise<void> => {
      tries += 1
      await go.promise
      if (items.includes(refused)) throw new Error(`${refused} is refused`)
      done.push([...items])
    }
    const batches = new Batches<string>(work, (error) => String(error).includes('everything'))
    return { batches, done, tries: () => tries, release: () => go.resolve(undefined) }
  }

  it('do together what came while another was done', async () => {
    const { batches, done, release } = setup()
    const all = ['a', 'b', 'c'].map((item) => batches.add(item))
    release()
    await Promise.all(all)
    expect(done).toEqual([['a'], ['b', 'c']])
  })

  it('do at once what comes alone', async () => {
    const { batches, done, release } = setup()
    release()
    await batches.add('a')
    await batches.add('b')
    expect(done).toEqual([['a'], ['b']])
  })

  it('refuse only the invalid entries, and go on', async () => {
    const { batches, done, release } = setup('b')
    const all = ['a', 'b', 'c', 'd'].map((item) => batches.add(item))
    release()
    const outcomes = await Promise.allSettled(all)
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
    expect(done).toEqual([['a'], ['c'], ['d']])
    await batches.add('e')
    expect(done.at(-1)).toEqual(['e'])
  })

  it('refuse all waiting entries at once where each would fail in the same way', async () => {
    const { batches, done, tries, release } = setup('everything')
    const all = ['a', 'everything', ...Array.from({ length: 40 }, (_, index) => `${index}`)].map((item) =>
      batches.add(item),
    )
    release()
    const outcomes = await Promise.allSettled(all)
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', ...Array<string>(41).fill('rejected')])
    expect(tries()).toBe(2)
    await batches.add('later')
    expect(done).toEqual([['a'], ['later']])
  })

  it('are bounded', async () => {
    const { batches, done, release } = setup()
    const all = Array.from({ length: 40 }, (_, index) => batches.add(String(index)))
    release()
    await Promise.all(all)
    expect(done.map(({ length }) => length)).toEqual([1, 16, 16, 7])
  })
})
