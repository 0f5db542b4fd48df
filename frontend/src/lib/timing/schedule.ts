/** Runs something later; the answer cancels it. Passed in, so that tests need not wait. */
export type Schedule = (run: () => void, ms: number) => () => void

export const afterMs: Schedule = (run, ms) => {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}
