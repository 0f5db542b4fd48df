/** What an output says that says nothing. */
import type { Verdict } from '../headless.ts'

export const NOTHING_SAID: Verdict = {
  sessionId: null,
  result: null,
  isOver: false,
  hasWorked: false,
  failure: null,
  usage: [],
  costUsd: null,
}
