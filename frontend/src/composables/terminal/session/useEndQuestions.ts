import type { Participant } from '@slipway/protocol'
import { confirm } from '@/composables/useConfirm.ts'

export interface UseEndQuestionsOptions {
  /** The other participants of the session. */
  others: () => readonly Participant[]
  /** Label of the running program. */
  program: () => string
  /** The element to focus afterwards. */
  keyboard: () => HTMLElement | null
  /** What a user may do who wants to keep the program beside the next one. Absent: nothing is said about that. */
  beside?: () => Beside | null
}

/** Whether another terminal may be opened beside a full number of them. */
export interface Beside {
  /** What the user is told. */
  readonly note: string
  /** Whether the user may have one more by a change of the agent's setting. */
  readonly mayRaise: boolean
}

/** Questions to the user before their terminal's program ends. */
export function useEndQuestions({ others, program, keyboard, beside = () => null }: UseEndQuestionsOptions) {
  /** `next` is the label of the program that starts instead; `openBeside` starts it in another terminal. */
  function maySwitch(next: string, openBeside: () => void = () => undefined): Promise<boolean> {
    const { note, mayRaise } = beside() ?? { note: '', mayRaise: false }
    return confirm({
      title: `Switch to ${next}?`,
      body: [`This ends ${program()} and its current work.`, note].filter(Boolean).join(' '),
      action: 'Switch',
      ...(mayRaise && { danger: true, other: { label: 'Open it beside this one', chosen: openBeside } }),
      thenFocus: keyboard(),
    })
  }

  /** Asks only if others are in the session: it would end while they watch. */
  async function mayDisconnect(): Promise<boolean> {
    const [first, ...further] = others()
    if (first === undefined) return true
    const who = further.length === 0 ? `${first.name} is` : `${further.length + 1} other people are`
    return confirm({
      title: 'End this terminal for everyone?',
      body: `${who} in it. Disconnecting ends ${program()} and its current work.`,
      action: 'Disconnect',
      danger: true,
      thenFocus: keyboard(),
    })
  }

  return { maySwitch, mayDisconnect }
}
