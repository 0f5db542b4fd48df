/** Which texts of a CLI come in pieces, as what it printed shows. */
import { type RunHappening, TEXT_EVENTS, type TextEvent } from '@slipway/protocol'

/** The types of texts of which two follow each other with nothing between. */
export const piecesIn = (happenings: readonly RunHappening[]): TextEvent[] =>
  TEXT_EVENTS.filter((type) => happenings.some((one, at) => one.type === type && happenings[at + 1]?.type === type))
