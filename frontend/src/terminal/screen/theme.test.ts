import { DARK_THEMES, LIGHT_THEMES } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { themeFor, THEMES } from './theme.ts'

/** WCAG 2.2, 1.4.3: relative luminance of `#rrggbb`, and the contrast of two. */
const luminance = (colour: string): number => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
const contrast = (one: string, other: string): number => {
  const [high = 0, low = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (high + 0.05) / (low + 0.05)
}
const NORMAL = ['red', 'green', 'yellow', 'blue', 'magenta', 'cyan'] as const
const BRIGHT = ['brightRed', 'brightGreen', 'brightYellow', 'brightBlue', 'brightMagenta', 'brightCyan'] as const

describe('the themes', () => {
  it('are three dark and two light ones, by the names that the account knows', () => {
    const names = (shade: string) => THEMES.filter((theme) => theme.shade === shade).map(({ name }) => name)
    expect(names('dark')).toEqual(DARK_THEMES)
    expect(names('light')).toEqual(LIGHT_THEMES)
    expect(names('dark')).toHaveLength(3)
    expect(names('light')).toHaveLength(2)
  })

  it.each(THEMES)(
    'of $label can be read: AA for the text and every colour, also on the selection for the text',
    ({ colours }) => {
      for (const name of [...NORMAL, ...BRIGHT, 'foreground', 'cursor'] as const)
        expect(contrast(colours[name]!, colours.background), name).toBeGreaterThanOrEqual(4.5)
      expect(contrast(colours.foreground, colours.selectionBackground!), 'selected').toBeGreaterThanOrEqual(4.5)
    },
  )

  it('follow the shade of the page', () => {
    const chosen = { darkTheme: 'dusk', lightTheme: 'sand' } as const
    expect(themeFor('dark', chosen).name).toBe('dusk')
    expect(themeFor('light', chosen).name).toBe('sand')
  })
})
