import type { Terminal } from '@xterm/headless'

interface Params {
  readonly params: Int32Array
}
interface Line {
  isWrapped: boolean
}
/** Internals of xterm.js 5.5.0, which package.json pins. */
interface Core {
  registerCsiHandler(id: { prefix?: string; final: string }, handler: (params: Params) => boolean): void
  readonly buffer: { x: number; y: number; readonly lines: { get(index: number): Line | undefined } }
  readonly _inputHandler: {
    parse(data: unknown, promiseResult?: boolean): unknown
    eraseInDisplay(params: Params, respectProtect?: boolean): boolean
    eraseInLine(params: Params, respectProtect?: boolean): boolean
    readonly _parser: { reset(): void }
  }
}

/**
 * If some output makes xterm.js 5.5 throw, all later output would wait for ever. The only known such sequence is
 * handled here. For any other one, the rest of its piece is dropped.
 */
export function surviveFaults(terminal: Terminal): void {
  const { _core: core } = terminal as unknown as { readonly _core: Core }
  const handler = core._inputHandler
  eraseAboveInTheLastCorner(terminal, core)
  const parse = handler.parse.bind(handler)
  handler.parse = (data, promiseResult) => {
    try {
      return parse(data, promiseResult)
    } catch {
      handler._parser.reset()
      return undefined
    }
  }
}

/** Erasing up to a cursor in the last column accesses the line below. The last line has none. */
function eraseAboveInTheLastCorner(terminal: Terminal, core: Core): void {
  const handler = core._inputHandler
  for (const prefix of ['', '?'])
    core.registerCsiHandler({ ...(prefix && { prefix }), final: 'J' }, (params) => {
      const { buffer } = core
      if (params.params[0] !== 1 || buffer.x + 1 < terminal.cols || buffer.lines.get(buffer.y + 1)) return false
      const { x } = buffer
      buffer.x = terminal.cols - 2
      handler.eraseInDisplay(params, prefix === '?')
      buffer.x = x
      return handler.eraseInLine(params, prefix === '?')
    })
}
