/**
 * Time before a missing part is requested again, in milliseconds. If the browser reports a network earlier, the retry
 * starts then.
 */
const AGAIN_AFTER_MS = 5_000

export interface PartListener {
  /** Reports how many parts are waiting for a retry. */
  awaits: (parts: number) => void
  /**
   * Called for a part that only a reload can load: the server has newer files, or the browser has cached the failed
   * `import()`. Returns whether the page reloads.
   */
  isReloaded: (file: string) => boolean
}

let listener: PartListener = { awaits: () => undefined, isReloaded: () => false }
let awaited = 0

export function listenForParts(to: PartListener): void {
  listener = to
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

const count = (change: 1 | -1): void => {
  awaited += change
  listener.awaits(awaited)
}

const aWhile = (): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      removeEventListener('online', end)
      resolve()
    }
    const timer = setTimeout(end, AGAIN_AFTER_MS)
    addEventListener('online', end)
  })

/** Loads the files and retries until the network is back. */
async function bring(paths: readonly string[]): Promise<void> {
  let isCounted = false
  try {
    for (;;) {
      try {
        return await slipway.bring(paths)
      } catch (error) {
        if (codeOf(error) !== 'PART_LOST') throw error
        if (!isCounted) count(1)
        isCounted = true
        await aWhile()
      }
    }
  } finally {
    if (isCounted) count(-1)
  }
}

/**
 * Loads a part of the page. The build wraps every `import()` in this.
 *
 * @param files the part's files: its own first, then its dependencies, relative to the page's root
 */
export async function loadPart<T>(load: () => Promise<T>, files: readonly string[] = []): Promise<T> {
  try {
    await bring(files.map((file) => `/${file}`))
    return await load()
  } catch (error) {
    if (codeOf(error) !== 'PART_REPLACED' && !slipway.isLostImport(error)) throw error
    if (!listener.isReloaded(files[0] ?? '')) throw error
    // The page reloads, so the promise stays pending: not even an error should show.
    return new Promise(() => undefined)
  }
}
