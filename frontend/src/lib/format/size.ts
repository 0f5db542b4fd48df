const STEPS = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

/** Formats bytes for the reader: at most three digits and a unit. */
export function bytes(count: number): string {
  let value = count
  let step = 0
  while (value >= 1024 && step < STEPS.length - 1) {
    value /= 1024
    step += 1
  }
  return `${step === 0 || value >= 100 ? Math.round(value) : Number(value.toFixed(1))} ${STEPS[step]}`
}

/** Formats MiB, the unit of memory limits. */
export const megabytes = (count: number): string => bytes(count * 1024 * 1024)

/** A number of CPUs: "1 CPU", "2.5 CPUs". */
export const cpus = (count: number): string => `${count} ${count === 1 ? 'CPU' : 'CPUs'}`

/** Progress: "12 MiB of 128 MiB", or "12 MiB" if the total is unknown. */
export const progressWords = ({ loaded, total }: { readonly loaded: number; readonly total: number | null }): string =>
  total === null ? bytes(loaded) : `${bytes(loaded)} of ${bytes(total)}`
