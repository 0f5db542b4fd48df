import type { Terminal } from '@xterm/xterm'
import { bytesOfBinary, bytesOfText } from '../session/frames.ts'

/** Of xterm.js 5.5.0, which package.json pins. */
interface Core {
  readonly coreService: {
    /** Told right before `onData` where that is a person's doing: a key, a paste, the mouse, `input()`. Not before an answer. */
    onUserInput(listener: () => void): void
  }
}

/** Tells everything that the emulator has for its program: what a person has done, and what it answers by itself to what a program asks. */
export function hearInput(terminal: Terminal, hear: (bytes: Uint8Array, isAnswer: boolean) => void): void {
  const { _core: core } = terminal as unknown as { readonly _core: Core }
  let isAnswer = true
  core.coreService.onUserInput(() => (isAnswer = false))
  terminal.onData((text) => {
    const wasAnswer = isAnswer
    isAnswer = true
    hear(bytesOfText(text), wasAnswer)
  })
  // Only the mouse, in its oldest form, is no text.
  terminal.onBinary((data) => hear(bytesOfBinary(data), false))
}
