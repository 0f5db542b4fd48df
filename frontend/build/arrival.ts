/** How the files of the page arrive: see `src/arrival/arrival.ts`. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type HtmlTagDescriptor, minify, type Plugin, type Rolldown, transformWithOxc } from 'vite'

/** Vite's own, which each `import()` of the bundle is wrapped in. */
const PRELOAD_HELPER = '\0vite/preload-helper.js'
const at = (path: string): string => fileURLToPath(new URL(`../src/${path}`, import.meta.url))

const script = async (path: string): Promise<string> => {
  const { code } = await transformWithOxc(readFileSync(at(path), 'utf8'), path)
  const { code: small } = await minify(path, code, { module: true })
  return small
}

/**
 * What the first screen of each kind of visitor is made of, by the names of the sources: the document asks for all of it
 * at once, instead of file after file as one import finds the next.
 */
const SCREENS = {
  guest: ['LoginPage'],
  user: ['AppShell', 'AgentPage', 'TerminalStack', 'screen', 'addon-webgl'],
  watch: ['WatchPage', 'screen', 'addon-webgl'],
} as const
/** The font of terminals, which are not drawn without it. */
const TERMINAL_FONT = /jetbrains-mono-latin-wght-normal-[^/]*\.woff2$/

/** A module with what it imports statically, and the style sheets of all of them. */
const withNeeds = (name: string, bundle: Rolldown.OutputBundle, found = new Set<string>()): Set<string> => {
  const chunk = bundle[name]
  if (found.has(name) || chunk?.type !== 'chunk') return found
  found.add(name)
  for (const needed of chunk.imports) withNeeds(needed, bundle, found)
  for (const sheet of chunk.viteMetadata?.importedCss ?? []) found.add(sheet)
  return found
}

/** Throws where a source is none that is loaded by an `import()`: it has another name by now. */
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

/** Vite's tags for the files that the first script brings. */
const OWN_TAGS =
  /\s*<(script type="module"[^>]* src="[^"]*"[^>]*><\/script>|link rel="(modulepreload|stylesheet)"[^>]*>)/g

/** Puts the first scripts into the document, and has them bring every file that an `import()` needs. */
export const arrival = (): Plugin => ({
  name: 'slipway:arrival',
  enforce: 'pre',
  config: () => ({
    build: {
      modulePreload: {
        polyfill: false,
        // Vite names no file for an import that needs nothing else.
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
      // While developing, Vite serves each source file by itself.
      if (!bundle) return [theme, start]
      const files = into({ type: 'application/json', id: 'page-files' }, JSON.stringify(filesOf(bundle)))
      return { html: html.replaceAll(OWN_TAGS, ''), tags: [theme, files, start] }
    },
  },
})
