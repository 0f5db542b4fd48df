/** How a session finishes, once: its processes end with it, or it is released for a later backend. */
import type { Program } from '../../../runtime/program.ts'
import { type Ending, endingOfExit } from '../../sessions/ending.ts'

interface Parts {
  readonly pty: Pick<Program, 'exit' | 'survives' | 'resume' | 'release' | 'hangUp'>
  readonly mode: string
  readonly agentName: string
  /** Called once, before the processes end. `goesOn`: the program was released. */
  over(ending: Ending, goesOn: boolean): void
}

export class Finish {
  /** Resolves when no process is left, or the program was released. Rejects if the processes could not be ended. */
  readonly gone: Promise<void>
  readonly #parts: Parts
  readonly #released = Promise.withResolvers<boolean>()
  #ending: Ending | null = null

  constructor(parts: Parts) {
    this.#parts = parts
    this.gone = this.#released.promise.then((isReleased) => (isReleased ? undefined : parts.pty.hangUp()))
    // Callers that wait for it handle the rejection. There may be none.
    this.gone.catch(() => undefined)
    void parts.pty.exit.then((exit) => {
      const ending = endingOfExit(parts.mode, parts.agentName, exit)
      // An engine may leave its containers running while it is down.
      if (exit.cause === 'engine_unavailable') this.release(ending)
      else this.end(ending)
    })
  }

  /** Null while the session goes on. */
  get ending(): Ending | null {
    return this.#ending
  }

  /** Ends the session with its processes. Later calls change nothing. */
  end(ending: Ending): void {
    if (this.#ending) return
    this.#over(ending, false)
    // Output is read no more, and a program that is blocked on its output could not react to the hang-up.
    this.#parts.pty.resume()
    this.#released.resolve(false)
  }

  /** Detaches from the program. If it cannot survive, this ends the session. */
  release(ending: Ending): void {
    if (this.#ending) return
    if (!this.#parts.pty.survives) return this.end(ending)
    this.#over(ending, true)
    this.#parts.pty.release()
    this.#released.resolve(true)
  }

  #over(ending: Ending, goesOn: boolean): void {
    this.#ending = ending
    this.#parts.over(ending, goesOn)
  }
}
