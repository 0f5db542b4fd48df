/** `slipway completion`, and what the shells ask. */
import type { CodingSession, Dialog } from '@slipway/protocol'
import { EXIT, usage } from '../api/errors.ts'
import { command } from '../arguments/command.ts'
import { complete, type LookUp, SHELLS } from '../arguments/complete.ts'
import type { Context } from '../arguments/context.ts'
import { SCRIPTS } from '../arguments/shells.ts'
import type { Command } from '../arguments/command.ts'
import { allAgents } from './agents.ts'

/** A user who pressed Tab waits no longer for names, in milliseconds. */
const LOOK_UP_MS = 2_000

export const completion = command({
  name: 'completion',
  about: 'Print a script for your shell: eval "$(slipway completion bash)"',
  positionals: [{ name: 'SHELL', kind: 'shell' }],
  options: {},
  run: async ({ arguments: [name] }, { out }) => {
    const shell = SHELLS.find((one) => one === name)
    if (shell === undefined) throw usage(`SHELL is ${SHELLS.join(', ')}.`)
    out.say(SCRIPTS[shell])
    return EXIT.done
  },
})

/** Prints the candidates for the last word, one a line. A failure prints none. */
export const candidates = async (
  words: readonly string[],
  commands: readonly Command[],
  context: Context,
): Promise<number> => {
  for (const candidate of await complete(words, commands, lookUpWith(context))) context.out.say(candidate)
  return EXIT.done
}

const lookUpWith =
  (context: Context): LookUp =>
  async (kind) => {
    try {
      const client = await context.client()
      const signal = AbortSignal.timeout(LOOK_UP_MS)
      if (kind === 'agent') return (await allAgents(client, signal)).map(({ name }) => name)
      const query = kind === 'dialog' ? { state: 'open' } : {}
      const path = kind === 'dialog' ? '/dialogs' : '/coding-agents/sessions'
      const found = await client.json<(Dialog | CodingSession)[]>('GET', path, { query, signal })
      return found.map(({ id }) => id)
    } catch {
      return []
    }
  }
