/**
 * Keeps the board up to date: it follows the engine's events, and lists all containers and homes once after each
 * (re)connection.
 */
import type { Log } from '../../../lib/log.ts'
import type { ContainerRuntime, RuntimeEvent } from '../../../runtime/port.ts'
import type { Board } from './board.ts'

/** Delay before the containers are listed again if the engine fails to, in milliseconds. */
const RETRY_MS = 500

/** Resolves after the first attempt to reach the engine. `onMemoryKill` is called for agents that ran out of memory. */
export const followEngine = async (
  runtime: ContainerRuntime,
  board: Board,
  log: Log,
  onMemoryKill: (agentId: string) => void = () => undefined,
): Promise<void> => {
  /** Events during a listing are applied after the list, which may be older; null at other times. */
  let waiting: RuntimeEvent[] | null = null
  /** Counts the connections. A list from an earlier connection is discarded. */
  let connection = 0
  let retry: NodeJS.Timeout | undefined
  let loading: Promise<void> = Promise.resolve()

  const load = async (of: number): Promise<void> => {
    waiting = []
    const { revision } = board
    try {
      const [containers, homes] = await Promise.all([runtime.list(), runtime.homes()])
      if (of !== connection) return
      board.load({ containers, homes }, revision)
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
