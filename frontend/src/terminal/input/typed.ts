import type { Terminal } from '@xterm/xterm'
import { bytesOfBinary, bytesOfText } from '../session/frames.ts'

/** Internals of xterm.js 5.5.0, which package.json pins. */
interface Core {
  readonly coreService: {
    /**
     * Fires right before `onData` for the user's input: a key, a paste, the mouse, `input()`. Does not fire for the
     * emulator's answers.
     */
    onUserInput(listener: () => void): void
  }
}

/**
 * Reports everything that the emulator sends to its program: the user's input, and the emulator's own answers to the
 * program's queries.
 */
export function hearInput(terminal: Terminal, hear: (bytes: Uint8Array, isAnswer: boolean) => void): void {
  const { _core: core } = terminal as unknown as { readonly _core: Core }
  let isAnswer = true
  core.coreService.onUserInput(() => (isAnswer = false))
  terminal.onData((text) => {
    const wasAnswer = isAnswer
    isAnswer = true
    hear(bytesOfText(text), wasAnswer)
  })
  // Only mouse reports in the oldest encoding are not text.
  terminal.onBinary((data) => hear(bytesOfBinary(data), false))
}
