/** Fakes of the clock and the socket, for tests of the terminal. */

/** A clock that a test moves. */
export class FakeClock {
  #now = 0
  /** How far the wall clock is ahead of the timers' clock, in milliseconds. */
  #ahead = 0
  #tasks: { at: number; run: () => void }[] = []

  readonly schedule = (run: () => void, ms: number): (() => void) => {
    const task = { at: this.#now + ms, run }
    this.#tasks.push(task)
    return () => {
      this.#tasks = this.#tasks.filter((other) => other !== task)
    }
  }

  readonly now = (): number => this.#now + this.#ahead

  /** The user sets the clock, or the computer sleeps: timers do not notice. */
  set(aheadByMs: number): void {
    this.#ahead += aheadByMs
  }

  /** Passes time in `steps` of `ms`, so that timers that start other timers fire on schedule. */
  pass(steps: number, ms: number): void {
    for (let step = 0; step < steps; step += 1) this.advance(ms)
  }

  get pending(): number {
    return this.#tasks.length
  }

  advance(ms: number): void {
    this.#now += ms
    for (;;) {
      const due = this.#tasks.find((task) => task.at <= this.#now)
      if (due === undefined) return
      this.#tasks = this.#tasks.filter((task) => task !== due)
      due.run()
    }
  }
}

/** A socket whose other end is the test. */
export class FakeSocket {
  readonly sent: (string | Uint8Array)[] = []
  readonly closedWith: number[] = []
  readonly url: string
  binaryType = 'blob'
  bufferedAmount = 0
  readyState = 0
  onopen: (() => void) | null = null
  onmessage: ((event: { data: unknown }) => void) | null = null
  onclose: ((event: { code: number }) => void) | null = null

  constructor(url: string) {
    this.url = url
  }

  /** The text frames sent, parsed. */
  get frames(): unknown[] {
    return this.sent.filter((frame) => typeof frame === 'string').map((frame): unknown => JSON.parse(frame))
  }

  get binary(): Uint8Array[] {
    return this.sent.filter((frame) => typeof frame !== 'string')
  }

  send(data: string | Uint8Array): void {
    this.sent.push(data)
  }

  close(code: number): void {
    this.closedWith.push(code)
    this.readyState = 2
  }

  open(): void {
    this.readyState = 1
    this.onopen?.()
  }

  say(frame: unknown): void {
    this.onmessage?.({ data: JSON.stringify(frame) })
  }

  print(bytes: number): void {
    this.onmessage?.({ data: new ArrayBuffer(bytes) })
  }

  end(code: number): void {
    this.readyState = 3
    this.onclose?.({ code })
  }
}
