import type { Terminal } from '@xterm/headless'

/** Sequences that the emulator repeats in a loop as often as they request, and the count that fills the screen. */
const REPEATED: readonly (readonly [final: string, enough: 'cols' | 'rows'])[] = [
  ['I', 'cols'], // tabs forward
  ['Z', 'cols'], // tabs back
  ['L', 'rows'], // insert lines
  ['M', 'rows'], // delete lines
  ['S', 'rows'], // scroll up
  ['T', 'rows'], // scroll down
]
/** A character with more code units than this is not repeated. Nearly all of them are combining marks. */
const LONGEST_REPEATED = 32

/** The emulator's own parameters. Its public interface only has copies. */
interface Params {
  readonly params: Int32Array
}
interface Core {
  registerCsiHandler(id: { final: string }, handler: (params: Params) => boolean): void
}

/**
 * Limits counts to one screenful. A program may request two thousand million lines in a dozen bytes, and xterm.js 5.5
 * would loop over them while the page hangs. The screen is the same afterwards.
 */
export function boundCounts(terminal: Pick<Terminal, 'cols' | 'rows' | 'buffer'>): void {
  const core = (terminal as unknown as { readonly _core: Core })._core
  for (const [final, enough] of REPEATED) {
    core.registerCsiHandler({ final }, ({ params }) => {
      params[0] = Math.min(params[0]!, terminal[enough])
      return false
    })
  }
  // Repeats the last character (REP). No program that draws needs it for more than a line.
  core.registerCsiHandler({ final: 'b' }, ({ params }) => {
    const { active } = terminal.buffer
    const letter = active.getLine(active.baseY + active.cursorY)?.getCell(Math.max(0, active.cursorX - 1))
    if ((letter?.getChars().length ?? 0) > LONGEST_REPEATED) return true
    params[0] = Math.min(params[0]!, terminal.cols)
    return false
  })
}
