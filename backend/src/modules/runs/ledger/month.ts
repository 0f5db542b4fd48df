/** Calendar months in UTC, for budgets. */

/** A month: from its first moment, before the first moment of the next one. */
export interface Month {
  readonly from: Date
  readonly to: Date
}

/** The month of a moment, which is given in milliseconds since 1970. */
export const monthOf = (now: number): Month => {
  const date = new Date(now)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  return { from: new Date(Date.UTC(year, month)), to: new Date(Date.UTC(year, month + 1)) }
}
