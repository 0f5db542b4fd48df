/** Questions that wait for a client's answer, by their ids. */
import { type AskOptions, type ChoiceOptions, type Clock, failed, type Outcome, type SelectOption } from './ui.ts'

/** Most questions that wait at the same time. A task has 20 at most. */
export const PENDING_MAX = 1000

/** The answer of a client: an outcome whose value nobody has checked. */
export type Response = Outcome<unknown>

/** Whether a value answers the question. */
export type Fits<T> = (value: unknown) => value is T

interface Deps {
  readonly clock: Clock
  readonly timeoutMs: number
  readonly newId: () => string
}

interface Question<T> {
  /** Sends the question to the client. */
  readonly send: (id: string) => void
  readonly fits: Fits<T>
  readonly opts: AskOptions
}

export class Requests {
  readonly #deps: Deps
  readonly #pending = new Map<string, (response: Response) => void>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Sends a question. It is settled once: by an answer, the time, its signal, or {@link failAll}. */
  ask<T>({ send, fits, opts }: Question<T>): Promise<Outcome<T>> {
    const { signal, timeoutMs = this.#deps.timeoutMs } = opts
    if (signal?.aborted === true) return Promise.resolve(failed('withdrawn'))
    if (this.#pending.size >= PENDING_MAX)
      return Promise.resolve(failed('client_error', `More than ${PENDING_MAX} questions are open.`))
    const id = this.#deps.newId()
    return new Promise((resolve) => {
      const settle = (outcome: Outcome<T>): void => {
        if (!this.#pending.delete(id)) return
        cancelTimer()
        signal?.removeEventListener('abort', withdraw)
        resolve(outcome)
      }
      const withdraw = (): void => settle(failed('withdrawn'))
      const cancelTimer = this.#deps.clock.after(timeoutMs, () => settle(failed('timeout')))
      signal?.addEventListener('abort', withdraw)
      this.#pending.set(id, (response) => settle(checked(response, fits)))
      send(id)
    })
  }

  /** Gives an answer to its question. Does nothing if the question is not open. */
  answer(id: unknown, response: Response): void {
    if (typeof id === 'string') this.#pending.get(id)?.(response)
  }

  failAll(error: 'connection_closed' | 'server_shutdown'): void {
    for (const settle of [...this.#pending.values()]) settle(failed(error))
  }
}

const checked = <T>(response: Response, fits: Fits<T>): Outcome<T> => {
  if (!response.ok) return response
  const { value } = response
  if (value === null || fits(value)) return { ok: true, value }
  return failed('invalid_response')
}

/** A client's `error`: a text, or an object of JSON-RPC 2.0 with a message. */
export const errorIn = (error: unknown): Response => {
  if (typeof error === 'string') return failed('client_error', error)
  if (typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string')
    return failed('client_error', error.message)
  return failed('invalid_response')
}

export const isText: Fits<string> = (value) => typeof value === 'string'
export const isYesOrNo: Fits<boolean> = (value) => typeof value === 'boolean'

/** Whether a value is one of the options, or several of them, as the question allows. */
export const isChoiceOf =
  (options: readonly SelectOption[], { multiple = false, custom = false }: ChoiceOptions) =>
  (value: unknown): value is string | readonly string[] => {
    const isOne = (one: unknown): boolean =>
      typeof one === 'string' && (custom || options.some((option) => option.value === one))
    return multiple ? Array.isArray(value) && value.every(isOne) : isOne(value)
  }

/** What a client is told about a choice beside its options. */
export const choiceOpts = ({ multiple, custom }: ChoiceOptions): Readonly<Record<string, boolean>> => ({
  ...(multiple === true ? { multiple } : {}),
  ...(custom === true ? { custom } : {}),
})
