import type { Participant } from '@slipway/protocol'
import { confirm } from '@/composables/useConfirm.ts'

export interface UseEndQuestionsOptions {
  /** The other participants of the session. */
  others: () => readonly Participant[]
  /** Label of the running program. */
  program: () => string
  /** The element to focus afterwards. */
  keyboard: () => HTMLElement | null
}

/** Questions to the user before their terminal's program ends. */
export function useEndQuestions({ others, program, keyboard }: UseEndQuestionsOptions) {
  /** `next` is the label of the program that starts instead. */
  const maySwitch = (next: string): Promise<boolean> =>
    confirm({
      title: `Switch to ${next}?`,
      body: `This ends ${program()} and its current work.`,
      action: 'Switch',
      thenFocus: keyboard(),
    })

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
