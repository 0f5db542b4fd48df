/** Tells the document how to load the page's files: see `src/arrival/arrival.ts`. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type HtmlTagDescriptor, minify, type Plugin, type Rolldown, transformWithOxc } from 'vite'

/** Vite wraps each `import()` of the bundle in this helper. */
const PRELOAD_HELPER = '\0vite/preload-helper.js'
const at = (path: string): string => fileURLToPath(new URL(`../src/${path}`, import.meta.url))

const script = async (path: string): Promise<string> => {
  const { code } = await transformWithOxc(readFileSync(at(path), 'utf8'), path)
  const { code: small } = await minify(path, code, { module: true })
  return small
}

/**
 * Source names of the first screen of each kind of visitor. The document requests all their files at once. Otherwise
 * each file would be found only by the import of another.
 */
const SCREENS = {
  guest: ['LoginPage'],
  user: ['AppShell', 'AgentPage', 'TerminalStack', 'screen', 'addon-webgl'],
  watch: ['WatchPage', 'screen', 'addon-webgl'],
} as const
/** Terminals are not drawn until this font has loaded. */
const TERMINAL_FONT = /jetbrains-mono-latin-wght-normal-[^/]*\.woff2$/

/** A module with its static imports, and the style sheets of all of them. */
const withNeeds = (name: string, bundle: Rolldown.OutputBundle, found = new Set<string>()): Set<string> => {
  const chunk = bundle[name]
  if (found.has(name) || chunk?.type !== 'chunk') return found
  found.add(name)
  for (const needed of chunk.imports) withNeeds(needed, bundle, found)
  for (const sheet of chunk.viteMetadata?.importedCss ?? []) found.add(sheet)
  return found
}

/** Throws if no `import()` loads the source: it has another name now. */
const chunkOf = (source: string, bundle: Rolldown.OutputBundle): string => {
  const found = Object.values(bundle).find(
    (file) => file.type === 'chunk' && file.isDynamicEntry && file.name === source,
  )
  if (found === undefined) throw new Error(`no part of the page is ${source}: correct SCREENS`)
  return found.fileName
}

const screensOf = (bundle: Rolldown.OutputBundle, first: ReadonlySet<string>): PageFiles['screens'] => {
  const font = Object.keys(bundle).filter((name) => TERMINAL_FONT.test(name))
  const filesOf = (sources: readonly string[], more: readonly string[]): string[] => {
    const needs = sources.flatMap((source) => [...withNeeds(chunkOf(source, bundle), bundle)])
    return [...new Set([...needs, ...more])].filter((name) => !first.has(name)).map((name) => `/${name}`)
  }
  return { guest: filesOf(SCREENS.guest, []), user: filesOf(SCREENS.user, font), watch: filesOf(SCREENS.watch, font) }
}

const filesOf = (bundle: Rolldown.OutputBundle): PageFiles => {
  const entry = Object.values(bundle).find((file) => file.type === 'chunk' && file.isEntry)?.fileName
  if (entry === undefined) throw new Error('the bundle has no entry')
  const first = withNeeds(entry, bundle)
  const later = Object.keys(bundle).filter((name) => /\.(js|css)$/.test(name) && !first.has(name))
  const paths = (names: Iterable<string>): string[] => [...names].map((name) => `/${name}`)
  return { entry: `/${entry}`, first: paths(first), screens: screensOf(bundle, first), later: paths(later) }
}

/** Vite's tags for the files that the first script loads. */
const OWN_TAGS =
  /\s*<(script type="module"[^>]* src="[^"]*"[^>]*><\/script>|link rel="(modulepreload|stylesheet)"[^>]*>)/g

/** Puts the first scripts into the document. They load every file that an `import()` needs. */
export const arrival = (): Plugin => ({
  name: 'slipway:arrival',
  enforce: 'pre',
  config: () => ({
    build: {
      modulePreload: {
        polyfill: false,
        // For an import without further dependencies, Vite lists no file at all.
        resolveDependencies: (file, needs) => [...new Set([file, ...needs])],
      },
    },
  }),
  load: {
    filter: { id: /^\0vite\/preload-helper\.js$/ },
    handler: (id) =>
      id === PRELOAD_HELPER
        ? `export { loadPart as __vitePreload } from ${JSON.stringify(at('lib/browser/parts.ts'))}`
        : undefined,
  },
  transformIndexHtml: {
    order: 'post',
    handler: async (html, { bundle }) => {
      const into = (attrs: Record<string, string>, children: string): HtmlTagDescriptor => ({
        tag: 'script',
        attrs,
        children,
        injectTo: 'head',
      })
      const theme = into({}, await script('arrival/theme.ts'))
      const start = into({ type: 'module' }, await script('arrival/arrival.ts'))
      // In development, Vite serves each source file separately.
      if (!bundle) return [theme, start]
      const files = into({ type: 'application/json', id: 'page-files' }, JSON.stringify(filesOf(bundle)))
      return { html: html.replaceAll(OWN_TAGS, ''), tags: [theme, files, start] }
    },
  },
})
