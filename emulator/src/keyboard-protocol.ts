import type { IDisposable, IParser } from '@xterm/headless'

/** Deepest nesting of requests on each of the two screens. Beyond it the oldest are dropped. */
export const STACK_MAX = 16
/** The flag for keys that have had the same code since teletypes ("disambiguate escape codes"). */
const DISAMBIGUATE = 1

type Params = (number | number[])[]
const numberAt = (params: Params, at: number, fallback: number): number => {
  const value = params[at]
  return typeof value === 'number' && value > 0 ? value : fallback
}

/**
 * Whether the program requested kitty's keyboard protocol, which tells Shift+Enter from Enter. A program that first
 * asks whether the protocol is supported gets no answer, and does without it. Only programs that request it without
 * asking, such as Codex, get it, and only for Enter.
 */
export class KeyboardProtocol {
  /** Each screen has its own, so that a full-screen program that crashes leaves nothing to the shell. */
  readonly #stacks: Record<'normal' | 'alternate', number[]> = { normal: [], alternate: [] }
  readonly #handlers: readonly IDisposable[]
  readonly #screen: () => 'normal' | 'alternate'

  /** `screen` returns which screen is shown. */
  constructor(parser: IParser, screen: () => 'normal' | 'alternate') {
    this.#screen = screen
    const does = (act: (params: Params) => void) => (params: Params) => {
      act(params)
      return true
    }
    this.#handlers = [
      parser.registerCsiHandler(
        { prefix: '>', final: 'u' },
        does((params) => this.#push(numberAt(params, 0, 0))),
      ),
      parser.registerCsiHandler(
        { prefix: '<', final: 'u' },
        does((params) => this.#pop(numberAt(params, 0, 1))),
      ),
      parser.registerCsiHandler(
        { prefix: '=', final: 'u' },
        does((params) => this.#set(params)),
      ),
      // A full reset. xterm does its own part of it.
      parser.registerEscHandler({ final: 'c' }, () => {
        this.reset()
        return false
      }),
    ]
  }

  get disambiguates(): boolean {
    return ((this.#stack.at(-1) ?? 0) & DISAMBIGUATE) !== 0
  }

  /** The output that gives another emulator the same state for this screen, while it shows it. */
  restoring(screen: 'normal' | 'alternate'): string {
    return this.#stacks[screen].map((flags) => `\x1b[>${flags}u`).join('')
  }

  /** Call it when another program begins. */
  reset(): void {
    this.#stacks.normal = []
    this.#stacks.alternate = []
  }

  dispose(): void {
    for (const handler of this.#handlers) handler.dispose()
  }

  get #stack(): number[] {
    return this.#stacks[this.#screen()]
  }

  #push(flags: number): void {
    this.#stack.push(flags)
    if (this.#stack.length > STACK_MAX) this.#stack.shift()
  }

  #pop(count: number): void {
    this.#stack.splice(-Math.min(count, STACK_MAX))
  }

  /** Replaces, adds or removes flags, as the second number says. */
  #set(params: Params): void {
    const flags = numberAt(params, 0, 0)
    const before = this.#stack.pop() ?? 0
    const mode = numberAt(params, 1, 1)
    this.#stack.push(mode === 2 ? before | flags : mode === 3 ? before & ~flags : flags)
  }
}
