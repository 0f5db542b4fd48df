// @vitest-environment happy-dom
// @vitest-environment-options { "settings": { "navigator": { "userAgent": "Mozilla/5.0 (iPad; CPU OS 18_1 like Mac OS X)" } } }
// An iPad, because the emulator itself does not treat it as a Mac.
import { describe, expect, it } from 'vitest'
import { openScreen } from '../testing/screen.ts'

interface Key {
  readonly code: string
  /** The character in the layout with Option, or the key's name. */
  readonly key: string
  readonly keyCode: number
}
const KEY_L: Key = { code: 'KeyL', key: '@', keyCode: 76 }
const DEAD_N: Key = { code: 'KeyN', key: 'Dead', keyCode: 78 }
const named = (key: string, keyCode: number): Key => ({ code: key, key, keyCode })

const begin = async () => {
  const { screen, terminal, typed } = await openScreen()
  const send = (type: string, init: KeyboardEventInit & { keyCode: number }): boolean =>
    terminal.textarea!.dispatchEvent(
      new KeyboardEvent(type, { bubbles: true, cancelable: true, altKey: true, ...init }),
    )
  /** Presses a key with Option as a browser does. Returns what the program gets. */
  const option = (key: Key): string => {
    typed.length = 0
    const isLeft = send('keydown', key)
    // The browser itself goes on with a key that the page leaves to it.
    if (isLeft && key.key.length === 1) send('keypress', { ...key, keyCode: key.key.charCodeAt(0) })
    send('keyup', key)
    return typed.join('')
  }
  return { screen, option }
}

describe('Option', () => {
  it('types what the layout says, and leaves a dead key to the browser', async () => {
    const { option } = await begin()
    expect(option(KEY_L)).toBe('@')
    expect(option({ code: 'Digit7', key: '|', keyCode: 55 })).toBe('|')
    expect(option(DEAD_N)).toBe('')
  })

  it('jumps by words, and stays what programs know with the other named keys', async () => {
    const { option } = await begin()
    expect(option(named('ArrowLeft', 37))).toBe('\x1bb')
    expect(option(named('ArrowRight', 39))).toBe('\x1bf')
    expect(option(named('F5', 116))).toBe('\x1b[15;3~')
    expect(option(named('Backspace', 8))).toBe('\x1b\x7f')
  })

  it('is Meta for a user who wants it so, from that moment on', async () => {
    const { screen, option } = await begin()
    screen.setOptionIsMeta(true)
    expect(option(KEY_L)).toBe('\x1bl')
    expect(option(DEAD_N)).toBe('\x1bn')
    expect(option(named('ArrowLeft', 37))).toBe('\x1bb')
    screen.setOptionIsMeta(false)
    expect(option(KEY_L)).toBe('@')
  })
})
