/** The name that the form of a new agent begins with. */
import { randomInt } from 'node:crypto'

const WORDS = [
  ...['amber', 'brave', 'brisk', 'calm', 'clear', 'coral', 'crisp', 'early', 'fair', 'fleet', 'gentle', 'golden'],
  ...['green', 'grey', 'happy', 'keen', 'late', 'light', 'little', 'lucky', 'lunar', 'merry', 'mighty', 'misty'],
  ...['noble', 'northern', 'proud', 'quick', 'quiet', 'rapid', 'red', 'silver', 'small', 'solar', 'southern', 'steady'],
  ...['sunny', 'swift', 'tidal', 'western'],
]
const VESSELS = [
  ...['barge', 'brig', 'canoe', 'clipper', 'cutter', 'dinghy', 'dory', 'ferry', 'frigate', 'galley', 'hoy', 'junk'],
  ...['kayak', 'ketch', 'launch', 'lugger', 'packet', 'pilot', 'pram', 'punt', 'raft', 'schooner', 'skiff', 'sloop'],
  ...['smack', 'tender', 'trawler', 'tug', 'yacht', 'yawl'],
]
/** Names that are looked up at once. With half of all pairs in use, all of them are taken once in 65,000 times. */
const CANDIDATES = 16
/** Numbers that follow a pair when all candidates are taken, exclusive. */
const NUMBER_MAX = 1_000_000

const oneOf = (words: readonly string[]): string => words[randomInt(words.length)]!
const pair = (): string => `${oneOf(WORDS)}-${oneOf(VESSELS)}`

/**
 * A name that no agent has, such as `quiet-ketch`. It is random, so that two users who open the form at the same time
 * are not offered the same one.
 *
 * @param takenOf answers which of these names exist, also for agents that the user may not see
 */
export const suggestedName = async (takenOf: (names: readonly string[]) => Promise<string[]>): Promise<string> => {
  const candidates = Array.from({ length: CANDIDATES }, pair)
  const taken = new Set(await takenOf(candidates))
  return candidates.find((name) => !taken.has(name)) ?? `${pair()}-${randomInt(NUMBER_MAX)}`
}
