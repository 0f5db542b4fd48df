import { useDebounceFn, useMediaQuery, useResizeObserver } from '@vueuse/core'
import { computed, onScopeDispose, ref, shallowRef, watch, watchEffect, type Ref } from 'vue'
import { loadFonts } from '@/lib/browser/fonts.ts'
import { usePreferencesStore } from '@/stores/identity/preferences.ts'
import type { Size } from '@/terminal/session/frames.ts'
import { lookOf } from '@/terminal/screen/look.ts'
import type { Matches } from '@/terminal/screen/matches.ts'
import type { RendererName } from '@/terminal/screen/renderer.ts'
import type { Screen } from '@/terminal/screen/screen.ts'
import { useTheme } from '@/composables/shell/useTheme.ts'

/**
 * The screen reports a resize after the element has kept its size for this long, in milliseconds. TUIs redraw at each
 * resize.
 */
const RESIZE_DEBOUNCE_MS = 150
/**
 * One character for each of the terminal's font files. The emulator caches the picture of each character, so one that
 * it draws before its font has loaded stays a box.
 */
const OF_EACH_FONT = 'a❯⏵⎿⠋'

export interface UseScreenOptions {
  container: Readonly<Ref<HTMLElement | null>>
  visible: () => boolean
  /** Whether to ignore changes of the element's size for now, because the output that arrives fits the current size. */
  keepsSize: () => boolean
  onInput: (bytes: Uint8Array, isAnswer: boolean) => void
  onResize: (size: Size) => void
  onKey: (event: KeyboardEvent) => boolean
  onFile: (path: string) => void
  onAgentAddress: (address: string) => void
}

/** The emulator in its element. It is created once, fitted and themed; the GPU draws it while it is visible. */
export function useScreen(options: UseScreenOptions) {
  // Shallow: making the emulator reactive would wrap every cell of its buffer.
  const screen = shallowRef<Screen | null>(null)
  const title = ref('')
  const renderer = ref<RendererName>('dom')
  const matches = ref<Matches | null>(null)
  const { shade } = useTheme()
  const phone = useMediaQuery('(max-width: 639px)')
  const preferences = usePreferencesStore()
  const look = computed(() => lookOf(preferences.terminal, shade.value, phone.value))
  const gone = new AbortController()

  const loadLook = () => loadFonts(`${look.value.fontSize}px ${look.value.fontFamily}`, OF_EACH_FONT)

  /**
   * Resolves with the emulator once its code and its fonts have loaded. A grid measured with another font would be
   * wrong.
   */
  const ready = (async (): Promise<Screen | null> => {
    const [module] = await Promise.all([import('@/terminal/screen/screen.ts'), loadLook()])
    if (options.container.value === null) {
      await new Promise<void>((resolve) => {
        const stop = watch(options.container, (element) => {
          if (element === null) return
          stop()
          resolve()
        })
      })
    }
    if (gone.signal.aborted || options.container.value === null) return null
    const made = new module.Screen(options.container.value, {
      look: look.value,
      onInput: options.onInput,
      onKey: options.onKey,
      onFile: options.onFile,
      onAgentAddress: options.onAgentAddress,
      onTitle: (text) => (title.value = text),
      onRenderer: (name) => (renderer.value = name),
      onMatches: (found) => (matches.value = found),
    })
    screen.value = made
    await made.setVisible(options.visible())
    made.fit()
    return made
  })()

  function fit(): void {
    const size = options.visible() && !options.keepsSize() ? (screen.value?.fit() ?? null) : null
    if (size !== null) options.onResize(size)
  }

  const fitSoon = useDebounceFn(fit, RESIZE_DEBOUNCE_MS)
  useResizeObserver(options.container, () => void fitSoon())

  async function show(visible: boolean): Promise<void> {
    await screen.value?.setVisible(visible)
    fit()
  }

  watch(options.visible, (visible) => void show(visible), { flush: 'post' })
  watchEffect(() => screen.value?.setOptionIsMeta(preferences.terminal.optionIsMeta))
  watchEffect(() => screen.value?.setScreenReader(preferences.terminal.screenReader))
  watch(look, async (next) => {
    await loadLook()
    if (screen.value === null || next !== look.value) return
    screen.value.setLook(next)
    fit()
  })

  onScopeDispose(() => {
    gone.abort()
    screen.value?.dispose()
  })

  return { screen, ready, title, renderer, matches, look, fit }
}
