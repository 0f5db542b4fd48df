/** What the page's first script, which is part of the document itself, offers to all others. */
interface Arrival {
  /**
   * Brings files of the page into the browser's cache, and applies those that are style sheets. A file that is lost on
   * the way is requested again.
   *
   * @param urls absolute paths
   * @throws an `Error` with a `code`: `PART_REPLACED` where the server does not have a file any more, `PART_LOST` where a
   *   file did not arrive
   */
  bring(urls: readonly string[]): Promise<void>
  /** Brings every other file of the page into the browser's cache, one at a time, while the page has nothing to do. */
  warm(): Promise<void>
  /** Whether `error` is a browser's for an `import()` of which a file did not arrive. */
  isLostImport(error: unknown): boolean
  /**
   * Whether the page may be reloaded because `file` is missing: once for each file, or a reload that does not help would be
   * repeated for ever. Notes the reload.
   */
  mayReload(file: string): boolean
}

/** What the build says of its files; `build/arrival.ts` writes it into the document. */
interface PageFiles {
  /** The module that starts the page. */
  readonly entry: string
  /** What it needs, itself included: absolute paths. */
  readonly first: readonly string[]
  /** What the first screen needs besides: an agent's page, the sign-in page, and the page of a shared terminal. */
  readonly screens: Readonly<Record<'user' | 'guest' | 'watch', readonly string[]>>
  /** All modules and style sheets that are loaded later. */
  readonly later: readonly string[]
}

// eslint-disable-next-line no-var -- the only way to declare a global
declare var slipway: Arrival
