import type { Participant } from '@slipway/protocol'
import { confirm } from '@/composables/useConfirm.ts'

export interface UseEndQuestionsOptions {
  /** Who else is in the session. */
  others: () => readonly Participant[]
  /** What runs, as people call it. */
  program: () => string
  /** What gets the keys afterwards. */
  keyboard: () => HTMLElement | null
}

/** What is asked before a person ends what runs in their terminal. */
export function useEndQuestions({ others, program, keyboard }: UseEndQuestionsOptions) {
  /** `next`: what takes its place, as people call it. */
  const maySwitch = (next: string): Promise<boolean> =>
    confirm({
      title: `Switch to ${next}?`,
      body: `This ends ${program()} and its current work.`,
      action: 'Switch',
      thenFocus: keyboard(),
    })

  /** Whoever is alone in it knows what they end; for others it ends under their eyes. */
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
