import type { Terminal } from '@xterm/headless'

interface Params {
  readonly params: Int32Array
}
interface Line {
  isWrapped: boolean
}
/** Of xterm.js 5.5.0, which package.json pins. */
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
 * Output at which xterm.js 5.5 throws would leave it deaf for good: whatever is written afterwards waits behind what was not
 * finished. The one such output that is known is done right; of any other the rest of its piece is left out.
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

/** Erasing all up to a cursor in the last column looks at the line below, which the last one has not. */
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
