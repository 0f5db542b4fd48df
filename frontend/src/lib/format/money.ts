/** Amounts below this have more digits, in US dollars. */
const SMALL_USD = 0.01

/** A cost in US dollars: "$0.42", "$0.0031", "$12.50". */
export function usd(amount: number): string {
  if (amount === 0) return '$0'
  return amount < SMALL_USD ? `$${Number(amount.toPrecision(2))}` : `$${amount.toFixed(2)}`
}

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** A count: "950", "12.3K", "1.2M". */
export const shortCount = (count: number): string => compact.format(count)
