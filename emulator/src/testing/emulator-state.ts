/** The complete state of an emulator, to compare it with another one. */
import { Bits, type Cell, type Emulator } from '../headless/emulator.ts'
import { linkOf, underlineOf } from '../headless/looks.ts'

export const written = (emulator: Emulator, output: string | Uint8Array): Promise<void> =>
  new Promise((resolve) => emulator.terminal.write(output, resolve))

/** xterm.js leaves parts of an earlier colour in bits that the current one does not use. */
const bits = (packed: number): string => {
  const mode = packed & Bits.mode
  const used = mode === 0 ? 0 : mode === Bits.modeRgb ? Bits.colour : 0xff
  return ((packed & ~Bits.colour & ~Bits.extended) | (packed & used)).toString(16)
}

const linesOf = ({ terminal, core }: Emulator, type: 'normal' | 'alternate') => {
  const buffer = terminal.buffer[type]
  return Array.from({ length: buffer.length }, (_, y) => {
    const line = buffer.getLine(y)!
    const cells = Array.from({ length: terminal.cols }, (_, x) => {
      const cell = line.getCell(x) as Cell
      if (x > 0 && line.getCell(x - 1)?.getWidth() === 2) return 'second half'
      const chars = cell.getChars()
      const link = core._oscLinkService.getLinkData(linkOf(cell))?.uri ?? ''
      const ext = bits(underlineOf(cell))
      // In `fg` the underline is a bit of its own. In `bg` the same bit means extended attributes.
      const foreground = bits(cell.fg) + (cell.fg & Bits.underline ? 'u' : '')
      return `${chars === ' ' ? '' : chars}/${Math.max(cell.getWidth(), 1)}/${foreground}/${bits(cell.bg)}/${ext}${link}`
    })
    // A print cannot say that the oldest line continues one that is gone, and this has no effect.
    return `${line.isWrapped && y > 0 ? '>' : ' '}${cells.join('|')}`
  })
}

/** What has to be equal in two emulators. */
export const stateOf = (emulator: Emulator) => {
  const { terminal, core, keyboard, emoji, status, synchronized } = emulator
  const { active } = terminal.buffer
  const screen = active.type === 'alternate' ? core.buffers.alt : core.buffers.normal
  return {
    normal: linesOf(emulator, 'normal'),
    alternate: active.type === 'alternate' ? linesOf(emulator, 'alternate') : [],
    shown: active.type,
    cursor: [active.cursorX, active.cursorY, active.baseY, active.viewportY],
    modes: terminal.modes,
    hidden: core.coreService.isCursorHidden,
    mouse: core.coreMouseService.activeEncoding,
    region: [screen.scrollTop, screen.scrollBottom],
    tabs: Object.keys(screen.tabs).filter((x) => Number(x) < terminal.cols),
    keyboard: [keyboard.restoring('normal'), keyboard.restoring('alternate')],
    counting: emoji.counting,
    title: core._inputHandler._windowTitle,
    status: status.restoring(),
    synchronized: synchronized.isHeld,
    level: core._charsetService.glevel,
    shape: emulator.cursorShape(),
    blinks: emulator.cursorBlinks(),
  }
}
