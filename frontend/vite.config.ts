import { fileURLToPath } from 'node:url'
import ui from '@nuxt/ui/vite'
import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'vite'
import { arrival } from './build/arrival.ts'
import { compressed } from './build/compressed.ts'

/** Where `vite` sends API calls and sockets while developing; the backend serves the built front end itself. */
const backend = process.env['SLIPWAY_BACKEND'] ?? 'http://127.0.0.1:4700'

/** Larger modules are not worth bringing to pages that do not need them, in bytes of source. */
const SHARED_MODULE_MAX = 40_000

/** Over what lies behind a dialog. */
const VEIL = 'bg-black/35 dark:bg-black/60'

export default defineConfig({
  plugins: [
    arrival(),
    vue(),
    ui({
      // Imports are explicit, so that a file says where its parts come from and no generated declarations are kept.
      autoImport: false,
      components: false,
      dts: false,
      // The theme switch is ours: it knows "system" and is set before the first paint.
      colorMode: false,
      theme: { colors: ['primary', 'success', 'info', 'warning', 'error'] },
      // Only the styles of components that are used reach the bundle.
      experimental: { componentDetection: true },
      // Every icon is in the bundle: no request may leave the page's own origin.
      icon: { clientBundle: { scan: { globInclude: ['src/**/*.{vue,ts}'] } } },
      ui: {
        colors: { primary: 'sea', neutral: 'zinc', success: 'emerald', info: 'sky', warning: 'amber', error: 'red' },
        // The kit lets the page shine through a button under the pointer, and its label's contrast goes with it.
        button: {
          // What cannot be pressed looks so on a busy page, too.
          slots: { base: 'disabled:opacity-40 aria-disabled:opacity-40 disabled:saturate-0 aria-disabled:saturate-0' },
          compoundVariants: [
            { color: 'primary', variant: 'solid', class: 'hover:bg-primary/90 active:bg-primary/90' },
            { color: 'error', variant: 'solid', class: 'hover:bg-error/90 active:bg-error/90' },
          ],
        },
        modal: {
          slots: { content: 'bg-muted', description: 'pe-10 text-pretty' },
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
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // What every page begins with, whatever it is.
            { name: 'first', tags: ['$initial'], priority: 2 },
            // A request costs a slow network more than some kilobytes too many: what several parts share is one file.
            { name: 'shared', minShareCount: 2, maxModuleSize: SHARED_MODULE_MAX, priority: 1 },
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
        // The server compares Origin with its own address; behind the proxy that is the backend's.
        headers: { origin: backend },
      },
    },
  },
})
