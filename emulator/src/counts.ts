import type { Terminal } from '@xterm/headless'

/** Orders that the emulator carries out as often as they say, in its own loop, and what is enough to fill the screen. */
const REPEATED: readonly (readonly [final: string, enough: 'cols' | 'rows'])[] = [
  ['I', 'cols'], // tabs forward
  ['Z', 'cols'], // tabs back
  ['L', 'rows'], // insert lines
  ['M', 'rows'], // delete lines
  ['S', 'rows'], // scroll up
  ['T', 'rows'], // scroll down
]
/** A letter with more code units than this, of which nearly all are marks upon it, is not repeated. */
const LONGEST_REPEATED = 32

/** What the emulator works with itself; its published interface hands out copies. */
interface Params {
  readonly params: Int32Array
}
interface Core {
  registerCsiHandler(id: { final: string }, handler: (params: Params) => boolean): void
}

/**
 * Takes more than a screenful for a screenful. A program may ask for two thousand million lines in a dozen bytes, which
 * xterm.js 5.5 would count out while the page stands still; what is on the screen afterwards is the same.
 */
export function boundCounts(terminal: Pick<Terminal, 'cols' | 'rows' | 'buffer'>): void {
  const core = (terminal as unknown as { readonly _core: Core })._core
  for (const [final, enough] of REPEATED) {
    core.registerCsiHandler({ final }, ({ params }) => {
      params[0] = Math.min(params[0]!, terminal[enough])
      return false
    })
  }
  // The last letter again. Nothing that draws repeats it over more than a line.
  core.registerCsiHandler({ final: 'b' }, ({ params }) => {
    const { active } = terminal.buffer
    const letter = active.getLine(active.baseY + active.cursorY)?.getCell(Math.max(0, active.cursorX - 1))
    if ((letter?.getChars().length ?? 0) > LONGEST_REPEATED) return true
    params[0] = Math.min(params[0]!, terminal.cols)
    return false
  })
}
