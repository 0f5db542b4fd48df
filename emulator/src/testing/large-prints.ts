/** Output whose print would be too large, and what comes of it. */
import { createEmulator, type Emulator } from '../headless/emulator.ts'
import { repaint } from '../headless/repaint.ts'
import { stateOf, written } from './emulator-state.ts'

const LARGE = { cols: 200, rows: 24 }

/** An emulator that has got this output. */
export const emulatorWith = async (output: string, size = LARGE): Promise<Emulator> => {
  const emulator = createEmulator(size)
  await written(emulator, output)
  return emulator
}

/** Letters that all have different attributes. */
export const colourful = (count: number, look = '38;2'): string =>
  Array.from({ length: count }, (_, n) => `\x1b[${look};${n % 250};${(n >> 8) % 250};9mx`).join('')

/** A link with an address of its own, of two thousand characters. */
export const link = (n: number): string =>
  `\x1b]8;;https://example.org/${n}/${'a'.repeat(2000)}\x1b\\${n}\x1b]8;;\x1b\\`

/** The size of a print in bytes, the lines that it shows, and as many of the newest that it was made of. */
export const printedLines = async (output: string) => {
  const emulator = await emulatorWith(output)
  const print = repaint(emulator)
  const lines = stateOf(await emulatorWith(print)).normal
  return { bytes: Buffer.byteLength(print), lines, newest: stateOf(emulator).normal.slice(-lines.length) }
}

/** The size of a print in bytes, and the text of the screen that it shows. */
export const printedText = async (output: string, size: typeof LARGE) => {
  const print = repaint(await emulatorWith(output, size))
  const { active } = (await emulatorWith(print, size)).terminal.buffer
  const text = Array.from({ length: size.rows }, (_, y) => active.getLine(active.baseY + y)?.translateToString())
  return { bytes: Buffer.byteLength(print), text }
}
