/** An amount of US dollars for users. The cost of one answer may be a part of a cent. */
const FORMAT = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 6 })

export const usd = (amount: number): string => FORMAT.format(amount)
