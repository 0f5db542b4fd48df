/** How long until a part of the page that did not arrive is asked for again, in milliseconds. */
const AGAIN_AFTER_MS = [250, 1_000, 3_000]

/**
 * For parts of the page that are loaded when they are needed: a network that changes under the request, as it does on
 * the server's own machine with each container, would otherwise leave the page without them.
 */
export const lazily =
  <T>(load: () => Promise<T>) =>
  async (): Promise<T> => {
    for (const ms of AGAIN_AFTER_MS) {
      try {
        return await load()
      } catch {
        await new Promise((resolve) => setTimeout(resolve, ms))
      }
    }
    return load()
  }
