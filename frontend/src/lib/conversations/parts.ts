import type { Entry } from '@/lib/tasks/transcript/entries.ts'

/** A part of a turn: a row in sight, or the steps between two of them, which are folded. */
export type TurnPart =
  | { readonly kind: 'row'; readonly entry: Entry }
  | { readonly kind: 'steps'; readonly id: number; readonly entries: readonly Entry[] }

/** What the model says, what it asks and what goes wrong is in sight. So is its newest plan. */
function isInSight(entry: Entry): boolean {
  if (entry.kind === 'plan') return entry.isLatest
  if (entry.kind === 'note') return entry.tone !== 'quiet'
  return entry.kind === 'text' || entry.kind === 'question'
}

/** Whether a row is a sentence about the run itself, such as its start. Alone, it is of no interest. */
const isQuiet = ({ kind }: Entry): boolean => kind === 'note'

/** The rows of a turn as a conversation shows them, in order. */
export function partsOf(entries: readonly Entry[]): TurnPart[] {
  const parts: TurnPart[] = []
  let steps: Entry[] = []
  const fold = (): void => {
    const [first] = steps
    if (first !== undefined && !steps.every(isQuiet)) parts.push({ kind: 'steps', id: first.id, entries: steps })
    steps = []
  }
  for (const entry of entries) {
    if (!isInSight(entry)) {
      steps.push(entry)
      continue
    }
    fold()
    parts.push({ kind: 'row', entry })
  }
  fold()
  return parts
}

/** What folded steps are, in words: "3 steps, 1 failed". Thoughts and earlier plans alone are no steps. */
export function stepsWords(entries: readonly Entry[]): string {
  const steps = entries.filter((entry) => entry.kind === 'step')
  if (steps.length === 0) return entries.some(({ kind }) => kind === 'thinking') ? 'Thoughts' : 'Plans'
  const failed = steps.filter(({ state, isRefused }) => state === 'failed' && !isRefused).length
  return `${steps.length} step${steps.length === 1 ? '' : 's'}${failed === 0 ? '' : `, ${failed} failed`}`
}
