import { confirm } from '@/composables/useConfirm.ts'

export interface UseClosingOptions {
  /** Label of the tab's program. */
  program: (name: string) => string
  /** Whether a program runs in the tab. */
  runs: (name: string) => boolean
  /** Ends the tab's program. */
  end: (name: string) => void
  /** Takes the tab away. */
  close: (name: string) => void
}

/** Closes a tab. Asks first if that ends a program. */
export function useClosing({ program, runs, end, close }: UseClosingOptions) {
  return async function closeTab(name: string): Promise<void> {
    if (runs(name)) {
      const sure = await confirm({
        title: `Close ${program(name)}?`,
        body: 'This ends its program and what the program started.',
        action: 'Close',
        danger: true,
      })
      if (!sure) return
      end(name)
    }
    close(name)
  }
}
