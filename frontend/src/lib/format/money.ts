/** Amounts below this have two significant digits, in US dollars. */
const SMALL_USD = 0.01
/** Amounts below this have none: that many zeros say only that it is next to nothing. */
const TINY_USD = 0.001

/** A cost in US dollars: "$0.42", "$0.0031", "$12.50", "< $0.001". */
export function usd(amount: number): string {
  if (amount === 0) return '$0'
  if (amount < TINY_USD) return `< $${TINY_USD}`
  return amount < SMALL_USD ? `$${Number(amount.toPrecision(2))}` : `$${amount.toFixed(2)}`
}

/** The same for a cost that is an estimate: "≈ $0.42". One that is next to nothing needs no further mark. */
export const aboutUsd = (amount: number): string => (amount > 0 && amount < TINY_USD ? usd(amount) : `≈ ${usd(amount)}`)

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** A count: "950", "12.3K", "1.2M". */
export const shortCount = (count: number): string => compact.format(count)
