/** The request for which code runs now, so that every log line can name it without a parameter. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Log } from './log.ts'

const scope = new AsyncLocalStorage<string>()

/** Runs `work`, and everything that it starts, on behalf of a request. */
export const inRequest = (requestId: string, work: () => void): void => scope.run(requestId, work)

/** The id of the request on whose behalf code runs now; undefined for the server's own work. */
export const currentRequest = (): string | undefined => scope.getStore()

/** A log that adds the id of the current request to each line, under the same name as the request's own lines. */
export const withRequestId = (log: Log): Log => {
  const at =
    (level: keyof Log) =>
    (...args: unknown[]): void => {
      const reqId = currentRequest()
      const [first, ...rest] = args
      const write: (...args: unknown[]) => void = log[level].bind(log)
      if (reqId === undefined) write(...args)
      else if (typeof first === 'object' && first !== null) write({ reqId, ...first }, ...rest)
      else write({ reqId }, ...args)
    }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
