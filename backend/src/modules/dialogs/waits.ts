/** Requests that wait for the answer to a dialog. */
import type { Dialog } from '@slipway/protocol'
import { aborted } from '../../lib/aborted.ts'
import type { Signal } from '../../lib/emitter.ts'
import { within } from '../../lib/time/within.ts'
import type { Followers } from '../access/followers.ts'
import type { Caller } from '../identity/caller.ts'
import type { DialogRow } from './repository.ts'
import type { DialogService } from './service.ts'
import { toDialog } from './view.ts'

interface Deps {
  readonly service: Pick<DialogService, 'require' | 'get'>
  readonly closed: Pick<Signal<DialogRow>, 'on'>
  readonly followers: Followers
  /** Longest wait, in milliseconds. */
  readonly waitMs: number
}

export class DialogWaits {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /**
   * Asks, and waits like {@link closed}. `TOO_MANY_REQUESTS` comes before anything is asked: each retry would ask the same
   * again. Throws what `ask` throws, too.
   */
  async asked(caller: Caller, ask: () => Promise<Dialog>, left: AbortSignal): Promise<Dialog> {
    const { followers } = this.#deps
    const place = followers.enter({ caller, row: null, relation: null }, followers.arrive())
    try {
      const { id } = await ask()
      return await this.closed(caller, id, left, () => place.leave())
    } finally {
      place.leave()
    }
  }

  /**
   * The dialog when it is closed, or as it is when the longest wait is over, the client has left or the server stops. Throws
   * what `DialogService.require` throws, also if the right is lost meanwhile, and `TOO_MANY_REQUESTS`. `leavePlace` gives up
   * a place that was kept for this wait, right before the wait takes its own.
   */
  async closed(caller: Caller, id: string, left: AbortSignal, leavePlace?: () => void): Promise<Dialog> {
    const { service, closed, followers, waitMs } = this.#deps
    const arrival = followers.arrive()
    const over = Promise.withResolvers<null>()
    // Before the look: a dialog that is closed meanwhile is not missed.
    const unsubscribe = closed.on((row) => row.id === id && over.resolve(null))
    try {
      const { row, agent, relation } = await service.require(caller, id, 'dialog.view')
      if (row.state !== 'open') return toDialog(row)
      leavePlace?.()
      const { signal, leave } = followers.enter(
        agent ? { caller, row: agent, relation } : { caller, row: null, relation: null },
        arrival,
      )
      try {
        const gone = aborted(AbortSignal.any([left, signal]))
        await within(waitMs, Promise.race([over.promise, gone]), () => undefined)
      } finally {
        leave()
      }
    } finally {
      unsubscribe()
    }
    return service.get(caller, id)
  }
}
