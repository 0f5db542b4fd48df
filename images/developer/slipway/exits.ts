/** How the command ends. Scripts depend on these numbers. */
export const EXIT = {
  /** Answered; for `confirm`, with yes. */
  done: 0,
  /** `confirm` was answered with no. */
  no: 1,
  usage: 2,
  /** A user does not want to answer, or the question was withdrawn. */
  cancelled: 3,
  /** There was no answer in time. */
  timeout: 4,
  /** Slipway does not answer. */
  unreachable: 5,
  /** Slipway does not take this: there is too much of it, or it is too long. */
  refused: 6,
} as const
