/**
 * Starts the page and loads its files. It is part of the document, so it needs no request of its own.
 *
 * If an `import()` loses a file to the network, it fails for as long as the page is open. So each file is fetched
 * first, with retries, and the import finds it in the browser's cache. Files below `/assets` are immutable, and `fetch`
 * requests them exactly as a module does.
 */

/** Delays before a lost file is requested again, in milliseconds. */
const AGAIN_AFTER_MS = [250, 1_000, 3_000]
/**
 * Time limit of a request, in milliseconds. A change of the network can leave a request without a response and without
 * an end.
 */
const SILENT_AFTER_MS = 20_000
/**
 * Storage key of the files for which this tab has reloaded. The list survives the reload, and has at most as many
 * entries as the page has files.
 */
const RELOADED = 'slipway-reloaded'
const LOST = 'Slipway did not load completely. Check your connection, then reload the page.'

const source = document.getElementById('page-files')?.textContent
const page: PageFiles | null = source === undefined ? null : (JSON.parse(source) as PageFiles)

const problem = (code: string, url: string): Error => Object.assign(new Error(`${code}: ${url}`), { code })
const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

/** Requests the whole file, because a browser keeps no part of it. */
const read = async (url: string, priority: RequestPriority): Promise<void> => {
  const silence = new AbortController()
  const end = (): void => silence.abort()
  let timer = setTimeout(end, SILENT_AFTER_MS)
  try {
    const answer = await fetch(url, { priority, signal: silence.signal })
    if (answer.status === 404) throw problem('PART_REPLACED', url)
    const reader = answer.body?.getReader()
    while (reader && !(await reader.read()).done) {
      clearTimeout(timer)
      timer = setTimeout(end, SILENT_AFTER_MS)
    }
    if (!answer.ok) throw problem('PART_LOST', url)
  } finally {
    clearTimeout(timer)
  }
}

const persist = async (url: string, act: () => Promise<void>): Promise<void> => {
  for (const ms of [...AGAIN_AFTER_MS, null]) {
    try {
      return await act()
    } catch (error) {
      if (codeOf(error) === 'PART_REPLACED') throw error
      if (ms === null) throw problem('PART_LOST', url)
      await new Promise((resolve) => setTimeout(resolve, ms))
    }
  }
}

/** The request of each file, running or complete. A failed file is removed. */
const kept = new Map<string, Promise<void>>()
const applied = new Map<string, Promise<void>>()

const once = (known: Map<string, Promise<void>>, url: string, act: () => Promise<void>): Promise<void> => {
  const before = known.get(url)
  if (before !== undefined) return before
  const now = persist(url, act)
  known.set(url, now)
  now.catch(() => known.delete(url))
  return now
}

const keep = (url: string, priority: RequestPriority = 'auto'): Promise<void> =>
  once(kept, url, () => read(url, priority))

const applyOnce = (url: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const link = document.createElement('link')
    link.rel = 'stylesheet'
    link.crossOrigin = ''
    link.href = url
    link.onload = () => resolve()
    link.onerror = () => {
      link.remove()
      reject(problem('PART_LOST', url))
    }
    document.head.append(link)
  })

/** Settles when no file that the page waits for is loading. */
let quiet: Promise<unknown> = Promise.resolve()

const bring = async (urls: readonly string[]): Promise<void> => {
  const all = Promise.all(
    urls.map(async (url) => {
      await keep(url)
      if (url.endsWith('.css')) await once(applied, url, () => applyOnce(url))
    }),
  )
  quiet = Promise.allSettled([quiet, all])
  await all
}

const idle = (): Promise<unknown> =>
  // Safari does not have `requestIdleCallback`.
  'requestIdleCallback' in globalThis
    ? new Promise((resolve) => requestIdleCallback(resolve))
    : new Promise((resolve) => setTimeout(resolve))

const warm = async (): Promise<void> => {
  // The user has asked the browser to save data.
  if ((navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true) return
  for (const url of page?.later ?? []) {
    await quiet
    await idle()
    try {
      await keep(url, 'low')
    } catch {
      // The page does not need the file yet. It is requested again when it does.
    }
  }
}

const isLostImport = (error: unknown): boolean =>
  error instanceof TypeError && /dynamically imported module|Importing a module script failed/i.test(error.message)

const mayReload = (file: string): boolean => {
  try {
    const before = sessionStorage.getItem(RELOADED)?.split(' ') ?? []
    if (before.includes(file)) return false
    sessionStorage.setItem(RELOADED, [...before, file].join(' '))
    return true
  } catch {
    // Without storage, the number of reloads is unknown.
    return false
  }
}

globalThis.slipway = { bring, warm, isLostImport, mayReload }

/** Whether `api/transport/refreshKey.ts` has stored a key. It only decides which files are loaded early. */
const isSignedIn = (): boolean => {
  try {
    return localStorage.getItem('slipway-refresh-key') !== null
  } catch {
    return false
  }
}

/** Null for pages with few files. */
const screenOf = (path: string): keyof PageFiles['screens'] | null => {
  if (path === '/watch') return 'watch'
  if (!isSignedIn()) return 'guest'
  return /^\/(agents\/|system)/.test(path) ? 'user' : null
}

const start = async ({ entry, first, screens }: PageFiles): Promise<void> => {
  try {
    const arrived = bring(first)
    // Requested right after the first files. On a slow network, each file found only through another one costs a round
    // trip.
    const screen = screenOf(location.pathname)
    for (const url of screen === null ? [] : screens[screen]) keep(url).catch(() => undefined)
    await arrived
    await import(entry)
  } catch (error) {
    const code = codeOf(error)
    if (code === undefined && !isLostImport(error)) throw error
    if (code !== 'PART_LOST' && mayReload(entry)) return location.reload()
    document.body.textContent = LOST
    addEventListener('online', () => location.reload())
  }
}

if (page !== null) await start(page)
