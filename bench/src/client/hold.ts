/** Many terminals that are open and idle. */
import { type Channel, nextData } from './channel.ts'
import { type ExecTarget, openExec } from './exec.ts'
import { openTerminal, type TerminalTarget } from './terminal.ts'

/** Opened at once: enough to be quick, few enough that none times out. */
const AT_ONCE = 8

export type HoldTarget = TerminalTarget | ExecTarget

/** They stay open as long as this process lives. */
export const held: Channel[] = []

/** Opens them all, waits for each one's prompt, and keeps them open. */
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

/** Closes what is held, in order. */
export const release = async (): Promise<void> => {
  for (const channel of held.splice(0)) await channel.close()
}
