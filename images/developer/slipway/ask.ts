/** `slipway ask`: waits for the answer of a person. */
import type { Ask } from './arguments.ts'
import { EXIT } from './exits.ts'
import { PATIENCE_MS, send } from './relay.ts'

/** How long the command waits for a server that does not answer after it has asked, in milliseconds. */
const ASKED_PATIENCE_MS = 600_000
/** How long the command takes to withdraw its question when it is ended, in milliseconds. */
const WITHDRAW_MS = 2000

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

interface Asked {
  readonly state: string
  readonly value: unknown
}

const askedOf = (body: unknown): Asked => {
  const { state, answer } = body as { state: string; answer: { value: unknown } | null }
  return { state, value: answer?.value }
}

/** Asks, and prints the answer. Answers the exit code. If the command is ended meanwhile, the question is withdrawn. */
export const askUntilAnswered = async ({ ask, asJson }: Ask): Promise<number> => {
  const ended = new AbortController()
  for (const [name, code] of Object.entries(SIGNALS))
    process.once(name, () => {
      ended.abort()
      void withdraw(ask.id).finally(() => process.exit(code))
    })
  // The same question again, until it is closed: the server knows it by its id.
  for (let patienceMs = PATIENCE_MS; ; patienceMs = ASKED_PATIENCE_MS) {
    const patience = { patienceMs, heldPatienceMs: ASKED_PATIENCE_MS, signal: ended.signal }
    const body = await send('POST', '/ask', ask, patience).catch((error: unknown) => {
      // The process ends soon.
      if (ended.signal.aborted) return new Promise<never>(() => undefined)
      throw error
    })
    const asked = askedOf(body)
    if (asked.state !== 'open') return print(asked, asJson)
  }
}

const withdraw = (id: string): Promise<unknown> => {
  const signal = AbortSignal.timeout(WITHDRAW_MS)
  return send('DELETE', `/ask/${id}`, undefined, { patienceMs: 0, signal }).catch(() => undefined)
}

const print = ({ state, value }: Asked, asJson: boolean): number => {
  if (state !== 'answered') {
    process.stderr.write(state === 'expired' ? 'slipway: there was no answer in time\n' : 'slipway: cancelled\n')
    return state === 'expired' ? EXIT.timeout : EXIT.cancelled
  }
  const text = asJson ? JSON.stringify(value) : plain(value)
  process.stdout.write(`${printable(text)}\n`)
  return value === false ? EXIT.no : EXIT.done
}

// eslint-disable-next-line no-control-regex -- these are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** A text of a person or of another program. On a terminal it must not do more than show. */
export const printable = (text: string): string => (process.stdout.isTTY ? text.replace(CONTROLS, '\uFFFD') : text)

const plain = (value: unknown): string => {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string') return value
  return Array.isArray(value) ? value.join('\n') : JSON.stringify(value)
}
