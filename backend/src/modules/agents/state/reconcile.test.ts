import { until } from '@slipway/testing'
import { describe, expect, it } from 'vitest'
import { TestClock } from '../../../../test/support/clock.ts'
import { noEngine } from '../../../../test/support/engine/no-engine.ts'
import { Signal } from '../../../lib/emitter.ts'
import { silentLog } from '../../../lib/log.ts'
import type { ContainerInfo, RuntimeEvent } from '../../../runtime/port.ts'
import { Board } from './board.ts'
import { followEngine } from './reconcile.ts'

const info: ContainerInfo = {
  id: 'c1',
  agentId: 'a',
  running: true,
  exitCode: null,
  oomKilled: false,
  fingerprint: '',
  startedAt: null,
}

/** An engine whose lists arrive when the test says so. The injected fault is their order. */
class SlowEngine {
  readonly lists: PromiseWithResolvers<ContainerInfo[]>[] = []
  tell: (event: RuntimeEvent) => void = () => undefined
  readonly runtime = {
    ...noEngine,
    available: true,
    watch: async (listener: (event: RuntimeEvent) => void) => {
      this.tell = listener
    },
    list: () => {
      const list = Promise.withResolvers<ContainerInfo[]>()
      this.lists.push(list)
      return list.promise
    },
    homes: () => Promise.resolve(new Set(['a'])),
  }
}

const start = async () => {
  const engine = new SlowEngine()
  const board = new Board(new TestClock(), new Signal<string>())
  board.add('a')
  await followEngine(engine.runtime, board, silentLog)
  const state = () => board.get('a').state
  return { engine, board, state }
}

describe('following the engine', () => {
  it('does not let a list that is older than an event overturn it', async () => {
    const { engine, state } = await start()
    engine.tell({ type: 'connected' })
    engine.tell({ type: 'died', agentId: 'a', containerId: 'c1', exitCode: 1 })
    engine.lists[0]?.resolve([info])
    await until('the end', () => state() === 'failed')
  })

  it('asks again when the list cannot be had', async () => {
    const { engine, board, state } = await start()
    engine.tell({ type: 'connected' })
    engine.lists[0]?.reject(new Error('busy'))
    await until('another try', () => engine.lists.length === 2)
    expect(board.get('a').reason?.code).toBe('engine_unavailable')
    engine.lists[1]?.resolve([info])
    await until('the state', () => state() === 'running')
  })

  it('forgets a list of a connection that was lost', async () => {
    const { engine, board, state } = await start()
    engine.tell({ type: 'connected' })
    engine.tell({ type: 'disconnected' })
    engine.tell({ type: 'connected' })
    engine.lists[0]?.resolve([])
    engine.lists[1]?.resolve([info])
    await until('the state', () => state() === 'running')
    expect(board.get('a').runningId).toBe('c1')
  })
})
