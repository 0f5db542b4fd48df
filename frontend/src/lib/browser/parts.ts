/** How long until a part that did not arrive is requested again, in milliseconds, unless the browser has a network before. */
const AGAIN_AFTER_MS = 5_000

export interface PartListener {
  /** So many parts are awaited whose files did not arrive at first. */
  awaits: (parts: number) => void
  /**
   * A part cannot come any more without a reload: the server has other files by now, or the browser keeps to a failed
   * `import()`. Answers whether the page is being reloaded.
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

/** Brings the files, however long the network is away. */
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
 * Loads a part of the page. The build puts this around every `import()`.
 *
 * @param files what the part is made of: its own file first, then all that it needs, relative to the page's root
 */
export async function loadPart<T>(load: () => Promise<T>, files: readonly string[] = []): Promise<T> {
  try {
    await bring(files.map((file) => `/${file}`))
    return await load()
  } catch (error) {
    if (codeOf(error) !== 'PART_REPLACED' && !slipway.isLostImport(error)) throw error
    if (!listener.isReloaded(files[0] ?? '')) throw error
    // Nothing comes of it in this page any more, an error least of all.
    return new Promise(() => undefined)
  }
}
