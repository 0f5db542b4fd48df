/** Pages that follow runs over `WS /api/events`. */
import { RunInputMessage, RunResizeMessage, RunSubscription } from '@slipway/protocol'
import Value from 'typebox/value'
import { aborted } from '../../../lib/aborted.ts'
import { AppError } from '../../../lib/errors.ts'
import type { Log } from '../../../lib/log.ts'
import type { Followers } from '../../access/followers.ts'
import type { Correspondent, Page } from '../../agents/news/topic.ts'
import type { Caller } from '../../identity/caller.ts'
import { isKeptFrom } from '../../sessions/claim.ts'
import { followEvents, type LiveRun, outputOf } from '../conduct/follow.ts'
import { isInteractive } from '../interactive/runs.ts'
import type { RunKeyboard } from '../interactive/keyboard.ts'
import type { RunService } from '../service.ts'
import { personalRun } from '../view.ts'

/** Runs that one user may follow over sockets and streams, in all windows and scripts. */
export const FOLLOWED_PER_USER = 64

/** Messages of one page whose runs may be looked up at the same time. */
const PENDING_MAX = 16

interface Deps {
  readonly runs: Pick<RunService, 'require' | 'requireEvents'>
  readonly keyboard: Pick<RunKeyboard, 'type' | 'resize'>
  readonly followers: Followers
  /** The folder of the transcripts. */
  readonly folder: string
  readonly log: Log
}

/** Answers the messages of one page. */
class Subscriptions {
  readonly #deps: Deps
  readonly #page: Page
  /** The runs that the page follows, with how to stop. */
  readonly #leaves = new Map<string, () => void>()
  #isClosed = false
  /** Messages whose runs are being looked up. */
  #pending = 0
  /** Settles when the earlier keys are typed. Each look-up takes its own time, and keys keep their order. */
  #typed: Promise<unknown> = Promise.resolve()

  constructor(deps: Deps, page: Page) {
    this.#deps = deps
    this.#page = page
  }

  receive(message: unknown): void {
    const { keyboard } = this.#deps
    const { caller } = this.#page
    if (Value.Check(RunSubscription, message)) this.#answer(message, (lookedUp) => this.#subscribe(message, lookedUp))
    else if (Value.Check(RunInputMessage, message))
      this.#press(message, () => keyboard.type(caller, message.sessionId, message))
    else if (Value.Check(RunResizeMessage, message))
      this.#press(message, () => keyboard.resize(caller, message.sessionId, message))
  }

  #answer({ sessionId }: Pick<RunSubscription, 'sessionId'>, answer: (lookedUp: () => void) => Promise<void>): void {
    if (this.#pending >= PENDING_MAX)
      return this.#refuse(sessionId, 'Too many messages at once. Try again in a moment.')
    this.#pending += 1
    answer(() => (this.#pending -= 1)).catch((error: unknown) => {
      const isRefusal = error instanceof AppError
      if (!isRefusal) this.#deps.log.error({ sessionId, err: error }, 'a message about a run could not be answered')
      const text = isRefusal ? error.message : 'The task does not answer now. Try again in a moment.'
      this.#refuse(sessionId, text)
    })
  }

  #press(message: Pick<RunSubscription, 'sessionId'>, act: () => Promise<void>): void {
    this.#answer(message, (lookedUp) => {
      const done = this.#typed.then(act)
      this.#typed = done.catch(() => undefined)
      return done.finally(lookedUp)
    })
  }

  #refuse(sessionId: string, error: string): void {
    this.#page.send({ type: 'coding-agent:session:error', sessionId, error })
  }

  close(): void {
    this.#isClosed = true
    for (const leave of this.#leaves.values()) leave()
  }

  /** `lookedUp` is called once the run is found or not. */
  async #subscribe({ sessionId, after }: RunSubscription, lookedUp: () => void): Promise<void> {
    const { runs, followers, folder } = this.#deps
    const { caller, send, deliver } = this.#page
    const arrival = followers.arrive()
    const lookUp =
      after === undefined ? runs.require(caller, sessionId, 'task.view') : runs.requireEvents(caller, sessionId, after)
    const { run, live, found } = await lookUp.finally(lookedUp)
    // A second subscription replaces the first, for example with another number.
    this.#leaves.get(sessionId)?.()
    const { signal, leave } = followers.enter(found ?? { caller, row: null, relation: null }, arrival)
    if (this.#isClosed) return leave()
    this.#leaves.set(sessionId, leave)
    const unsubscribe = live?.on((entries) => {
      const data = entries.map(outputOf).join('')
      if (data !== '' && !signal.aborted && !isKeptFrom(caller, live))
        send({ type: 'coding-agent:session:output', sessionId, data })
    })
    signal.addEventListener('abort', () => unsubscribe?.(), { once: true })
    if (live) send({ type: 'coding-agent:session:output', sessionId, data: live.output })
    send({ type: 'coding-agent:session:state', sessionId, state: run.state })
    try {
      if (after !== undefined)
        for await (const event of followEvents(folder, sessionId, {
          ...{ caller, live, after, left: signal },
          isEventless: isInteractive(run),
        }))
          await deliver({ type: 'coding-agent:session:event', sessionId, event })
      else if (live) await Promise.race([live.finished, keptFrom(caller, live), aborted(signal)])
      if (live && isKeptFrom(caller, live)) throw personalRun()
    } finally {
      leave()
      if (this.#leaves.get(sessionId) === leave) this.#leaves.delete(sessionId)
    }
  }
}

/** Resolves when the run becomes one that is kept from the caller. */
const keptFrom = (caller: Caller, live: LiveRun): Promise<unknown> =>
  live.becamePersonal.then(() => isKeptFrom(caller, live) || live.finished)

/** Lets pages follow runs. */
export const runCorrespondent = (deps: Deps): Correspondent => ({
  open: (page) => new Subscriptions(deps, page),
})
