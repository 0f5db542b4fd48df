/** Keeps the board true: follows the engine's events, and asks for everything once after each (re)connection. */
import type { Log } from '../../lib/log.ts'
import type { ContainerRuntime } from '../../runtime/port.ts'
import type { Board } from './board.ts'

/** Resolves when the first try to reach the engine is over. */
export const followEngine = async (runtime: ContainerRuntime, board: Board, log: Log): Promise<void> => {
  const load = async (): Promise<void> => {
    try {
      board.load(await runtime.list())
      log.info('container engine connected')
    } catch (error) {
      log.warn({ err: error }, 'containers could not be listed')
    }
  }
  let loading: Promise<void> = Promise.resolve()
  await runtime.watch((event) => {
    if (event.type === 'connected') loading = load()
    if (event.type === 'disconnected') log.error('container engine does not answer')
    board.apply(event)
  })
  if (!runtime.available) log.error('container engine does not answer')
  await loading
}
