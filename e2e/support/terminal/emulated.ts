/** A terminal session with an emulator, which shows the screen and answers programs' queries. */
import { createEmulator, type Emulator } from '@slipway/emulator/headless'
import { type TerminalClient, until } from '@slipway/testing'

/**
 * Longest time for a program on a busy machine, in milliseconds. opencode alone needs ten seconds for its first screen.
 */
const PATIENCE_MS = 120_000

/** The lines on the screen. */
export const screenOf = ({ buffer: { active }, rows }: Emulator['terminal']): string => {
  const lines = Array.from({ length: rows }, (_, row) => active.getLine(active.baseY + row))
  return lines.map((line) => line?.translateToString(true) ?? '').join('\n')
}

export class Emulated {
  readonly #emulator = createEmulator({ cols: 120, rows: 40 }).terminal

  constructor(client: TerminalClient) {
    // What came before, such as the screen of a session that goes on.
    this.#emulator.write(client.output)
    client.onOutput((bytes) => this.#emulator.write(bytes))
    this.#emulator.onData((answer) => client.type(answer))
  }

  get text(): string {
    return screenOf(this.#emulator)
  }

  async shows(what: RegExp): Promise<void> {
    await until(`the screen to show ${what}`, () => what.test(this.text), PATIENCE_MS).catch((error: unknown) => {
      throw new Error(`it shows\n${this.text}`, { cause: error })
    })
  }
}
