/** The interface of the page's first script, which is part of the document itself. */
interface Arrival {
  /**
   * Loads files of the page into the browser's cache, and applies style sheets. Retries files that the network lost.
   *
   * @param urls absolute paths
   * @throws an `Error` with a `code`: `PART_REPLACED` if the server no longer has a file, `PART_LOST` if a file did not
   *   arrive
   */
  bring(urls: readonly string[]): Promise<void>
  /** Loads all other files of the page into the browser's cache, one at a time, while the page is idle. */
  warm(): Promise<void>
  /** Whether `error` is a browser's error for an `import()` that lost a file. */
  isLostImport(error: unknown): boolean
  /**
   * Whether the page may reload because `file` is missing. It may once for each file, because a reload that does not
   * help would repeat forever. Remembers the reload.
   */
  mayReload(file: string): boolean
}

/** The build's list of files, which `build/arrival.ts` writes into the document. */
interface PageFiles {
  /** The module that starts the page. */
  readonly entry: string
  /** The entry with its dependencies: absolute paths. */
  readonly first: readonly string[]
  /** Further files of the first screen: an agent's page, the sign-in page, and the page of a shared terminal. */
  readonly screens: Readonly<Record<'user' | 'guest' | 'watch', readonly string[]>>
  /** All modules and style sheets to load later. */
  readonly later: readonly string[]
}

// eslint-disable-next-line no-var -- the only way to declare a global
declare var slipway: Arrival
