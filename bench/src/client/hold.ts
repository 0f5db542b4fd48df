/** Holds many terminals open and idle. */
import { type Channel, nextData } from './channel.ts'
import { type ExecTarget, openExec } from './exec.ts'
import { openTerminal, type TerminalTarget } from './terminal.ts'

/** How many are opened at once. So many are quick, and few enough that none times out. */
const AT_ONCE = 8

export type HoldTarget = TerminalTarget | ExecTarget

/** Terminals that stay open as long as this process lives. */
export const held: Channel[] = []

/** Opens all terminals, waits for the prompt of each, and keeps them open. */
export const hold = async (targets: readonly HoldTarget[]): Promise<number> => {
  const waiting = [...targets]
  const work = async (): Promise<void> => {
    for (let target = waiting.shift(); target; target = waiting.shift()) {
      const channel = await ('url' in target ? openTerminal(target) : openExec(target))
      await nextData(channel)
      channel.onData(() => undefined)
      held.push(channel)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return held.length
}

/** Closes the held terminals in order. */
export const release = async (): Promise<void> => {
  for (const channel of held.splice(0)) await channel.close()
}
