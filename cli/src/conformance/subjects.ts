/** The four ways to ask a person, each with a person who answers as a script says. */
import { PassThrough } from 'node:stream'
import { DebugUi } from '../ui/debug.ts'
import { HeadlessUi } from '../ui/headless.ts'
import { RpcUi } from '../ui/rpc.ts'
import { LinesOut } from '../ui/testing/lines-out.ts'
import type { Ui } from '../ui/ui.ts'
import { HeldLines } from '../tty/held-lines.ts'
import { TtyUi } from '../tty/tty-ui.ts'

/** What the person does with the next question. */
export type Act =
  | { readonly do: 'choose'; readonly index: number; readonly value: string }
  | { readonly do: 'check'; readonly indexes: readonly number[]; readonly values: readonly string[] }
  | { readonly do: 'yes' }
  | { readonly do: 'no' }
  | { readonly do: 'write'; readonly text: string }
  /** Writes at the end of what is there. */
  | { readonly do: 'append'; readonly text: string; readonly prefill: string }
  | { readonly do: 'cancel' }

export interface Subject {
  readonly ui: Ui
  /** Waits for the question with this title, and answers it. */
  readonly answer: (title: string, act: Act) => Promise<void>
  /** Resolves when the question with this title is shown. */
  readonly shown: (title: string) => Promise<void>
}

/** Resolves when the text of a stream contains something. */
const contains = (output: LinesOut, part: string): Promise<void> =>
  new Promise((resolve) => {
    const look = (): void => {
      if (output.text.includes(part)) resolve()
    }
    output.onText(look)
    look()
  })

const resultOf = (act: Act): unknown => {
  switch (act.do) {
    case 'choose':
      return act.value
    case 'check':
      return act.values
    case 'yes':
      return true
    case 'no':
      return false
    case 'write':
      return act.text
    case 'append':
      return act.prefill + act.text
    case 'cancel':
      return null
  }
}

/** The id of the question with this title. */
const idOf = (output: LinesOut, title: string): unknown =>
  output.values.find(({ params }) => (params as { title?: string }).title === title)?.id

const rpc = (): Subject => {
  const [input, output] = [new PassThrough(), new LinesOut()]
  const ui = new RpcUi({ input: () => input, output })
  const shown = (title: string): Promise<void> => contains(output, JSON.stringify(title))
  return {
    ...{ ui, shown },
    answer: async (title, act) => {
      await shown(title)
      input.write(`${JSON.stringify({ id: idOf(output, title), result: resultOf(act) })}\n`)
    },
  }
}

const debug = (): Subject => {
  const output = new LinesOut()
  const ui = new DebugUi({ output })
  const shown = (title: string): Promise<void> => contains(output, JSON.stringify(title))
  return {
    ...{ ui, shown },
    answer: async (title, act) => {
      await shown(title)
      ui.handleResponse({ type: 'ui_response', id: idOf(output, title), result: resultOf(act), error: null })
    },
  }
}

const DOWN = '\x1b[B'
const ENTER = '\r'

/** The keys with which a person does it. */
const keysOf = (act: Act): string[] => {
  switch (act.do) {
    case 'choose':
      return [...Array.from({ length: act.index }, () => DOWN), ENTER]
    case 'check':
      return [...moves(act.indexes), ENTER]
    case 'yes':
      return ['y']
    case 'no':
      return ['n']
    case 'write':
      return [act.text, ENTER]
    case 'append':
      // The second Enter in an empty line is the end.
      return [act.text, ENTER, ENTER]
    case 'cancel':
      return ['\x03']
  }
}

/** From one option to the next, and a space at each. */
const moves = (indexes: readonly number[]): string[] => {
  let at = 0
  return indexes.flatMap((index) => {
    const steps = Array.from({ length: index - at }, () => DOWN)
    at = index
    return [...steps, ' ']
  })
}

/** A terminal's input, in raw mode or not. */
class Keyboard extends PassThrough {
  readonly isTTY = true
  setRawMode(): this {
    return this
  }
}

const tty = (): Subject => {
  const [input, output] = [new Keyboard(), new LinesOut()]
  const ui = new TtyUi({ input, output, held: new HeldLines() })
  const shown = (title: string): Promise<void> => contains(output, title)
  return {
    ...{ ui, shown },
    answer: async (title, act) => {
      await shown(title)
      for (const key of keysOf(act)) input.write(key)
    },
  }
}

/** Without people. */
const headless = (): Subject => {
  const nothing = (): void => undefined
  const ui = new HeadlessUi({ debug: nothing, info: nothing, warning: nothing, error: nothing })
  return { ui, answer: async () => undefined, shown: async () => undefined }
}

export const SUBJECTS = { rpc, debug, tty, headless } as const
