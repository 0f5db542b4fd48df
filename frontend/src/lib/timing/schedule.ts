/** Runs a function later and returns the function that cancels it. Callers pass it in, so that tests need not wait. */
export type Schedule = (run: () => void, ms: number) => () => void

export const afterMs: Schedule = (run, ms) => {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}
