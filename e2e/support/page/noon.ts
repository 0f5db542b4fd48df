/** A time zone in which it is about noon, so that no day ends during a test. */
export const atNoon = (): string => {
  const ahead = 12 - new Date().getUTCHours()
  // These names have the sign of the way back to Greenwich.
  return `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`
}
