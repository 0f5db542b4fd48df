import type { ConversationTurn, ConversationTurns } from '@slipway/protocol'

/** The loaded part of a conversation: its last turns, in order. */
export interface LoadedTurns {
  readonly items: readonly ConversationTurn[]
  /** Where earlier ones are asked for; null if there are none. */
  readonly before: number | null
}

const inOrder = (turns: Iterable<ConversationTurn>): ConversationTurn[] =>
  [...turns].sort((a, b) => a.message.seq - b.message.seq)

/** The loaded turns with the latest page. If turns between them are missing, only the page stays. */
export function withLatest(loaded: LoadedTurns | null, page: ConversationTurns): LoadedTurns {
  const known = new Map(loaded?.items.map((turn) => [turn.message.id, turn]))
  const isNext = page.before === null || page.items.some(({ message }) => known.has(message.id))
  if (loaded === null || !isNext) return page
  // A message may get another number, so what the page says counts.
  for (const turn of page.items) known.set(turn.message.id, turn)
  return { items: inOrder(known.values()), before: page.before === null ? null : loaded.before }
}

/** The loaded turns with the page before them. */
export function withEarlier({ items }: LoadedTurns, page: ConversationTurns): LoadedTurns {
  const all = new Map([...page.items, ...items].map((turn) => [turn.message.id, turn]))
  return { items: inOrder(all.values()), before: page.before }
}
