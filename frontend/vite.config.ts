import { fileURLToPath } from 'node:url'
import ui from '@nuxt/ui/vite'
import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'vite'
import { arrival } from './build/arrival.ts'
import { compressed } from './build/compressed.ts'

/**
 * Where `vite` sends API requests and sockets in development. In production the backend serves the built frontend
 * itself.
 */
const backend = process.env['SLIPWAY_BACKEND'] ?? 'http://127.0.0.1:4700'

/** Largest module to share, in bytes of source. Pages that do not need a larger one should not load it. */
const SHARED_MODULE_MAX = 40_000

/** The core of the text editor, which loads with the first edit. */
const EDITOR =
  /\/node_modules\/(?:@codemirror\/(?:state|view|commands|language|search|merge|autocomplete)|@lezer\/(?:common|highlight|lr)|@marijn\/find-cluster-break|style-mod|w3c-keyname|crelt)\/|\/lib\/files\/editor\.ts/
/** The editor and its languages, each of which loads when a file needs it. No other page may load them. */
const OF_EDITOR = /\/node_modules\/(?:@codemirror|@lezer)\//

/** Overlay behind a dialog. */
const VEIL = 'bg-black/35 dark:bg-black/60'

export default defineConfig({
  plugins: [
    arrival(),
    vue(),
    ui({
      // Imports are explicit: a file shows where its parts come from, and there are no generated declarations to keep.
      autoImport: false,
      components: false,
      dts: false,
      // The project has its own theme switch, which knows "system" and applies before the first paint.
      colorMode: false,
      theme: { colors: ['primary', 'success', 'info', 'warning', 'error'] },
      // The bundle contains the styles of used components only.
      experimental: { componentDetection: true },
      // The bundle contains every icon, because no request may leave the page's own origin.
      icon: { clientBundle: { scan: { globInclude: ['src/**/*.{vue,ts}'] } } },
      ui: {
        colors: { primary: 'sea', neutral: 'zinc', success: 'emerald', info: 'sky', warning: 'amber', error: 'red' },
        // In the UI library, a button under the pointer is translucent, which lowers the contrast of its label.
        button: {
          // Makes disabled controls recognizable on a busy page, too.
          slots: { base: 'disabled:opacity-40 aria-disabled:opacity-40 disabled:saturate-0 aria-disabled:saturate-0' },
          compoundVariants: [
            { color: 'primary', variant: 'solid', class: 'hover:bg-primary/90 active:bg-primary/90' },
            { color: 'error', variant: 'solid', class: 'hover:bg-error/90 active:bg-error/90' },
          ],
        },
        modal: {
          // A long body scrolls below the header, which keeps its height.
          slots: { content: 'bg-muted', header: 'shrink-0', description: 'pe-10 text-pretty' },
          variants: { overlay: { true: { overlay: VEIL } } },
        },
        skeleton: { base: 'bg-accented/60' },
        slideover: { slots: { overlay: VEIL } },
      },
    }),
    compressed(),
  ],
  resolve: {
    alias: {
      '@': fileURLToPath(new URL('./src', import.meta.url)),
      typebox: fileURLToPath(new URL('./src/lib/noSchemas.ts', import.meta.url)),
    },
  },
  // A worker loads its parts when it needs them.
  worker: { format: 'es' },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // Files that every page needs first.
            { name: 'first', tags: ['$initial'], priority: 2 },
            // On a slow network a request costs more than a few extra kilobytes. So modules that several parts share go
            // into one file.
            { name: 'editor', test: EDITOR, priority: 3 },
            {
              name: 'shared',
              test: (id) => !OF_EDITOR.test(id),
              minShareCount: 2,
              maxModuleSize: SHARED_MODULE_MAX,
              priority: 1,
            },
          ],
        },
      },
    },
  },
  server: {
    proxy: {
      '/api': {
        target: backend,
        ws: true,
        // The server compares Origin with its own address. Behind the proxy, that is the backend's address.
        headers: { origin: backend },
      },
    },
  },
})
