import { useEventListener } from '@vueuse/core'
import { useRouter } from 'vue-router'
import { IS_MAC } from '@/lib/browser/platform.ts'
import { useAuthStore } from '@/stores/identity/auth.ts'
import { useShellStore } from '@/stores/shell/shell.ts'

/** How long after `g` the second key counts, in milliseconds. */
const SEQUENCE_MS = 1_000

/**
 * Whether this key opens the palette. In a terminal Ctrl+K belongs to readline, so the palette needs Shift there. No
 * program uses Command, so Command+K works everywhere.
 */
export function isPaletteKey(event: KeyboardEvent, inTerminal: boolean): boolean {
  if (event.key.toLowerCase() !== 'k' || event.altKey) return false
  if (IS_MAC && event.metaKey) return true
  return event.ctrlKey && !event.metaKey && (event.shiftKey || !inTerminal)
}

const inTerminal = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('.xterm') !== null
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))

/**
 * Shortcuts that work everywhere in the shell. A focused terminal keeps its keys, except for the shortcuts marked for
 * it.
 */
export function useShortcuts(): void {
  const router = useRouter()
  const shell = useShellStore()
  const auth = useAuthStore()
  let wentAt = Number.NEGATIVE_INFINITY

  const places = new Map([
    ['d', '/'],
    ['a', '/agents'],
    ['c', '/conversations'],
    ['t', '/coding-agents'],
    ['s', '/system-agent'],
    ['u', '/users'],
    ['l', '/audit'],
    ['m', '/account'],
  ])

  useEventListener(window, 'keydown', (event) => {
    if (event.defaultPrevented || event.repeat) return
    if (isPaletteKey(event, inTerminal(event.target))) {
      event.preventDefault()
      shell.palette = !shell.palette
      return
    }
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey
    const dialog = shell.isCovered || document.querySelector('[role="dialog"], [role="menu"]') !== null
    if (!plain || dialog || isTyping(event.target) || inTerminal(event.target)) return
    const place = event.timeStamp - wentAt < SEQUENCE_MS ? places.get(event.key) : undefined
    wentAt = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
    if (place !== undefined) {
      event.preventDefault()
      const forAdmins = ['/system-agent', '/users', '/audit'].includes(place)
      if (!forAdmins || auth.isAdmin) void router.push(place)
    } else if (event.key === '?') {
      event.preventDefault()
      shell.help = true
    } else if (event.key === 'a') {
      event.preventDefault()
      shell.dialogs = true
    } else if (event.key === 'n') {
      event.preventDefault()
      shell.createAgent = true
    } else if (event.key === 't') {
      // The dock may focus a field, which must not get the key.
      event.preventDefault()
      shell.dockAsked += 1
    } else if (event.key === '/') {
      const filter = document.querySelector<HTMLElement>('[data-rail-filter]')
      if (filter === null) return
      event.preventDefault()
      filter.focus()
    }
  })
}
