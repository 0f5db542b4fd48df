/** A real {@link Screen} in a document without layout, drawn by xterm's own renderer. */
import { DEFAULT_PREFERENCES } from '@slipway/protocol'
import { onTestFinished } from 'vitest'
import { lookOf } from '../screen/look.ts'
import { Screen } from '../screen/screen.ts'

/** What the renderer measures: 32 characters, each 10 pixels wide. */
const MEASURED = { offsetWidth: 320, offsetHeight: 20 } as const

/** Opens a screen of 80 columns and 24 rows. The end of the test disposes it. */
export async function openScreen() {
  const own = Object.keys(MEASURED).map((name) => [name, Object.getOwnPropertyDescriptor(HTMLElement.prototype, name)!])
  for (const [name, value] of Object.entries(MEASURED))
    Object.defineProperty(HTMLElement.prototype, name, { get: () => value, configurable: true })
  const element = document.createElement('div')
  document.body.append(element)
  const typed: string[] = []
  const screen = new Screen(element, {
    look: lookOf(DEFAULT_PREFERENCES.terminal, 'dark', false),
    onInput: (bytes) => typed.push(new TextDecoder().decode(bytes)),
    onKey: () => true,
    onTitle: () => undefined,
    onRenderer: () => undefined,
    onFile: () => undefined,
    onAgentAddress: () => undefined,
    onMatches: () => undefined,
  })
  onTestFinished(() => {
    screen.dispose()
    element.remove()
    for (const [name, property] of own)
      Object.defineProperty(HTMLElement.prototype, name as string, property as PropertyDescriptor)
  })
  // The emulator sizes its scrollbar in the next task.
  await new Promise((resolve) => setTimeout(resolve))
  return {
    screen,
    terminal: screen.terminal,
    element,
    /** The input of the program, one item for each time that the emulator sends some. */
    typed,
    /** Resolves when the emulator has read the output, and the browser has had its chance to paint it. */
    print: async (output: string): Promise<void> => {
      await new Promise<void>((resolve) => screen.write(new TextEncoder().encode(output), resolve))
      await painted()
    },
    /** The painted rows, without trailing spaces and without empty rows at the end. */
    shown: (): string =>
      [...element.querySelectorAll('.xterm-rows > div')]
        .map((row) => row.textContent.trimEnd())
        .join('\n')
        .trimEnd(),
  }
}

/** Resolves after the next two animation frames: a paint that is due may ask for another one. */
export async function painted(): Promise<void> {
  for (let frame = 0; frame < 2; frame++) await new Promise((resolve) => requestAnimationFrame(resolve))
}
