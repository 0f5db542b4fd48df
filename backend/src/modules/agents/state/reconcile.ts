/** Keeps the board true: follows the engine's events, and asks for everything once after each (re)connection. */
import type { Log } from '../../../lib/log.ts'
import type { ContainerRuntime, RuntimeEvent } from '../../../runtime/port.ts'
import type { Board } from './board.ts'

/** Between two tries to list the containers of an engine that is there but does not manage to, in milliseconds. */
const RETRY_MS = 500

/** Resolves when the first try to reach the engine is over. `onMemoryKill` hears of agents that ran out of memory. */
export const followEngine = async (
  runtime: ContainerRuntime,
  board: Board,
  log: Log,
  onMemoryKill: (agentId: string) => void = () => undefined,
): Promise<void> => {
  /** What happens while the containers are listed comes after the list, which may be older; null at other times. */
  let waiting: RuntimeEvent[] | null = null
  /** Counts the connections: a list of an earlier one is of no use. */
  let connection = 0
  let retry: NodeJS.Timeout | undefined
  let loading: Promise<void> = Promise.resolve()

  const load = async (of: number): Promise<void> => {
    waiting = []
    const { revision } = board
    try {
      const containers = await runtime.list()
      if (of !== connection) return
      board.load(containers, revision)
      for (const event of waiting) board.apply(event)
      waiting = null
      log.info('container engine connected')
    } catch (error) {
      log.warn({ err: error }, 'containers could not be listed')
      retry = setTimeout(() => {
        if (of === connection && runtime.available) void load(of)
      }, RETRY_MS)
      retry.unref()
    }
  }

  await runtime.watch((event) => {
    if (event.type === 'connected') {
      connection += 1
      clearTimeout(retry)
      loading = load(connection)
      return
    }
    if (event.type === 'disconnected') {
      connection += 1
      clearTimeout(retry)
      waiting = null
      log.error('container engine does not answer')
    }
    if (event.type === 'oom' && board.has(event.agentId)) onMemoryKill(event.agentId)
    if (waiting) waiting.push(event)
    else board.apply(event)
  })
  if (!runtime.available) log.error('container engine does not answer')
  await loading
}
