import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { runGraph } from './graph.mjs'

/** A graph whose nodes run until the test ends them. `log` has the events in their order. */
const graphOf = (nodes, { cores = 2 } = {}) => {
  const log = []
  const ends = new Map()
  const interruption = new AbortController()
  const done = runGraph(
    nodes.map(({ name, after = [], cores: taken = 1 }) => ({
      name,
      after,
      cores: taken,
      run: () => {
        log.push(name)
        return new Promise((resolve) => ends.set(name, resolve))
      },
      skipped: (failed) => log.push(`${name} skipped, ${failed} failed`),
    })),
    { cores, signal: interruption.signal },
  )
  const end = async (name, hasSucceeded = true) => {
    ends.get(name)(hasSucceeded)
    // One turn for the node's own promise, and one for the race.
    await nextTurn()
  }
  return { log, end, done, interrupt: () => interruption.abort() }
}

describe('a graph of stages', () => {
  it('starts as many as the machine has cores, the first in the list first', async () => {
    const { log, end, done } = graphOf([{ name: 'a' }, { name: 'b' }, { name: 'c' }])
    expect(log).toEqual(['a', 'b'])
    await end('b')
    expect(log).toEqual(['a', 'b', 'c'])
    await end('a')
    await end('c')
    expect([...(await done)]).toEqual([
      ['b', true],
      ['a', true],
      ['c', true],
    ])
  })

  it('starts one that waits beside any number of others', async () => {
    const { log, end, done } = graphOf([{ name: 'a', cores: 2 }, { name: 'b' }, { name: 'waits', cores: 0 }])
    expect(log).toEqual(['a', 'waits'])
    for (const name of ['a', 'b', 'waits']) await end(name)
    await done
  })

  it('starts what uses a part of a core beside others, and keeps the cores for the first that waits', async () => {
    const nodes = [{ name: 'a' }, { name: 'large', cores: 1.5 }, { name: 'b' }, { name: 'small', cores: 0.5 }]
    const { log, end, done } = graphOf([...nodes, { name: 'waits', cores: 0 }])
    expect(log).toEqual(['a', 'waits'])
    await end('a')
    expect(log).toEqual(['a', 'waits', 'large'])
    await end('large')
    expect(log).toEqual(['a', 'waits', 'large', 'b', 'small'])
    for (const name of ['waits', 'b', 'small']) await end(name)
    await done
  })

  it('starts one after those that it needs, although the machine is free', async () => {
    const { log, end, done } = graphOf([{ name: 'a', after: ['b', 'c'] }, { name: 'b' }, { name: 'c' }])
    await end('b')
    expect(log).toEqual(['b', 'c'])
    await end('c')
    expect(log).toEqual(['b', 'c', 'a'])
    await end('a')
    await done
  })

  it('starts one that takes more than the machine has when nothing else runs', async () => {
    const { log, end, done } = graphOf([{ name: 'a' }, { name: 'b', cores: 3 }])
    expect(log).toEqual(['a'])
    await end('a')
    expect(log).toEqual(['a', 'b'])
    await end('b')
    await done
  })

  it('goes on after a failure, and skips the stages that need the failed one, directly or not', async () => {
    const { log, end, done } = graphOf([
      { name: 'a' },
      { name: 'b', after: ['a'] },
      { name: 'c', after: ['b'] },
      { name: 'd' },
      { name: 'e' },
    ])
    await end('a', false)
    expect(log).toEqual(['a', 'd', 'b skipped, a failed', 'c skipped, b failed', 'e'])
    await end('d')
    await end('e')
    expect(Object.fromEntries(await done)).toEqual({ a: false, b: false, c: false, d: true, e: true })
  })

  it('starts nothing more once it is interrupted, and is over when what runs is', async () => {
    const { log, end, done, interrupt } = graphOf([{ name: 'a' }, { name: 'b', after: ['a'] }])
    interrupt()
    await end('a')
    await done
    expect(log).toEqual(['a'])
  })

  it('is refused where nodes wait for one another', async () => {
    const circle = [
      { name: 'a', after: ['b'] },
      { name: 'b', after: ['a'] },
    ]
    await expect(graphOf(circle).done).rejects.toThrow('these wait for one another: a,b')
  })
})
