/**
 * Option on a Mac types the layout's character, unless the user has made it Meta. Then programs get their Alt
 * shortcuts.
 */
// In the short form `frontend/src/terminal/input/optionKey.test.ts` gives keys of each kind to the page’s emulator.
import '@slipway/testing/long'
import { DEFAULT_PREFERENCES, type Preferences } from '@slipway/protocol'
import { inTurn } from '@slipway/testing/forms'
import type { Page } from 'playwright'
import { afterEach, describe, expect, it } from 'vitest'
import { MacKeyboard, type OptionKey, visitOnMac } from '../../support/page/mac.ts'
import { reload, useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { useAgent } from '../../support/use-agent.ts'

useBrowser()
const its = useAgent({ runtime: 'bash', memoryMb: 512 })

afterEach(() => its.owner.ok('PUT', '/users/me/preferences', DEFAULT_PREFERENCES))

const digit = (n: number, key: string, shift = false): OptionKey => ({
  code: `Digit${n}`,
  key,
  plain: String(n),
  keyCode: 48 + n,
  shift,
})
const letter = (plain: string, key: string, shift = false): OptionKey => ({
  code: `Key${plain.toUpperCase()}`,
  key,
  plain,
  keyCode: plain.toUpperCase().charCodeAt(0),
  shift,
})

/** Characters that terminals need and that layouts have behind Option. */
const LAYOUTS: readonly (readonly [layout: string, keys: readonly OptionKey[]])[] = [
  ['German', [letter('l', '@'), ...[5, 6, 7, 8, 9].map((n, at) => digit(n, '[]|{}'[at]!)), digit(7, '\\', true)]],
  ['Swiss', [letter('g', '@'), ...[5, 6, 7, 8, 9].map((n, at) => digit(n, '[]|{}'[at]!)), digit(3, '#')]],
  ['Spanish', [digit(1, '|'), digit(2, '@'), digit(3, '#')]],
  ['French', [letter('l', '|', true), digit(5, '[', true), digit(5, '{')]],
  ['Danish', [digit(8, '['), digit(9, ']'), letter('i', '|'), digit(7, '\\', true), digit(4, '$')]],
  ['British', [digit(3, '#'), digit(2, '€')]],
  ['American', [letter('p', 'π'), letter('o', 'ø'), letter('s', 'ß')]],
]
const NAMED = (key: string, keyCode: number): OptionKey => ({ code: key, key, plain: '', keyCode })

const begin = async (device: 'mac' | 'ipad' = 'mac') => {
  const page = await visitOnMac(its.owner, its.path, { device })
  const screen = new Screen(page)
  await screen.shell()
  return { page, screen, keyboard: await MacKeyboard.of(page) }
}

/** Types keys into a program that shows each byte, and returns what it shows. */
const shownBy = async (screen: Screen, press: () => Promise<void>): Promise<string> => {
  const mark = `m${Math.random().toString(36).slice(2, 8)}`
  await screen.type(`clear; echo; echo ${mark}; cat -v\n`)
  await screen.shows(new RegExp(`^${mark}\\n?$`, 'm'))
  await press()
  await screen.type('.\n')
  const text = await screen.shows(/^.*\.\n.*\.$/m)
  await screen.press('Control+c')
  await screen.prompt()
  return text.slice(text.lastIndexOf('\n') + 1, -1)
}

const setMeta = async (page: Page, screen: Screen): Promise<void> => {
  await page.getByTestId('terminal-open-settings').click()
  await page.getByTestId('option-is-meta').click()
  await page.keyboard.press('Escape')
  await page.getByTestId('terminal-settings').waitFor({ state: 'detached' })
  await screen.element.click()
  await screen.hasKeys()
}

const DEVICES = ['mac', 'ipad'] as const

describe('Option', () => {
  it.each(inTurn(DEVICES, 0))('on the keyboard of a %s types what the layout says', async (device) => {
    const { screen, keyboard } = await begin(device)
    for (const [layout, keys] of LAYOUTS) {
      // The shell prints the characters themselves, even those of several bytes.
      await screen.type(`clear; echo '${layout}: `)
      for (const key of keys) await keyboard.option(key)
      await screen.type(".'\n")
      await screen.shows(new RegExp(`^${layout}: ${keys.map(({ key }) => `\\${key}`).join('')}\\.$`, 'm'))
    }
  })

  it.each(inTurn(DEVICES, 1))('on the keyboard of a %s types what a dead key makes of the next one', async (device) => {
    const { screen, keyboard } = await begin(device)
    await screen.type("clear; echo 'dead ")
    let typed = ''
    for (const [plain, sign, together] of [
      ['n', '~', '~'],
      ['n', '~', 'ñ'],
      ['e', '´', 'é'],
    ] as const) {
      await keyboard.dead(letter(plain, 'Dead'), sign, together)
      typed += together
      // As a user types: the combined character appears before the next key.
      await screen.shows(`dead ${typed}`)
    }
    await screen.type(".'\n")
    await screen.shows(/^dead ~ñé\.$/m)
  })

  it.each(inTurn(DEVICES, 2))(
    'on the keyboard of a %s jumps by words, and stays what programs know with the other named keys',
    async (device) => {
      const { screen, keyboard } = await begin(device)
      const pressed = async (key: OptionKey): Promise<string> => shownBy(screen, () => keyboard.option(key))
      expect(await pressed(NAMED('ArrowLeft', 37))).toBe('^[b')
      expect(await pressed(NAMED('ArrowRight', 39))).toBe('^[f')
      expect(await pressed(NAMED('F5', 116))).toBe('^[[15;3~')
      expect(await pressed(NAMED('F12', 123))).toBe('^[[24;3~')
      await screen.type('echo one two three')
      await keyboard.option(NAMED('ArrowLeft', 37))
      await keyboard.option(NAMED('ArrowLeft', 37))
      await screen.type('and ')
      await keyboard.option(NAMED('Backspace', 8))
      await screen.press('Enter')
      await screen.shows(/^one two three$/m)
    },
  )

  it.each(inTurn(DEVICES, 3))(
    'on the keyboard of a %s is Meta for a user who wants it so, from that moment on',
    async (device) => {
      const { page, screen, keyboard } = await begin(device)
      await keyboard.option(letter('l', '@'))
      await screen.shows(/\$ @$/)
      await screen.press('Control+u')
      await setMeta(page, screen)
      expect(await shownBy(screen, () => keyboard.option(letter('l', '@')))).toBe('^[l')
      expect(await shownBy(screen, () => keyboard.option(letter('n', 'Dead')))).toBe('^[n')
      expect(await shownBy(screen, () => keyboard.option(NAMED('ArrowLeft', 37)))).toBe('^[b')
      await expect
        .poll(async () => (await its.owner.ok<Preferences>('GET', '/users/me/preferences')).terminal.optionIsMeta)
        .toBe(true)
      // The account's next terminal has the setting from its start.
      await reload(page)
      await screen.shell()
      expect(await shownBy(screen, () => keyboard.option(digit(7, '|')))).toBe('^[7')
    },
  )
})

describe('a keyboard without Option', () => {
  it('has no such setting, and its Alt is Meta', async () => {
    const page = await visit(its.owner, its.path)
    const screen = new Screen(page)
    await screen.shell()
    expect(await shownBy(screen, () => screen.press('Alt+l'))).toBe('^[l')
    await page.getByTestId('terminal-open-settings').click()
    await page.getByTestId('terminal-settings').waitFor()
    expect(await page.getByTestId('option-is-meta').count()).toBe(0)
  })
})
