/** What the table says is what the engine knows of the same characters. One that knows a newer Unicode wants the table written anew. */
import { describe, expect, it } from 'vitest'
import { propertiesOf, columnsOf, wcwidth } from './widths.ts'

/** Those of a class that the table gives other columns than these. */
const others = (property: RegExp, columns: number): string[] => {
  const found: string[] = []
  for (let code = 0; code <= 0x10ffff; code += 1) {
    const letter = String.fromCodePoint(code)
    if (property.test(letter) && wcwidth(code) !== columns) found.push(code.toString(16))
  }
  return found
}

describe('the table of widths', () => {
  it.each([
    ['a mark over or around a letter', /^[\p{Mn}\p{Me}]$/u, 0],
    ['a control character', /^\p{Cc}$/u, 0],
    ['an emoji by itself', /^(?!\p{Regional_Indicator})\p{Emoji_Presentation}$/u, 2],
    ['an emoji that is text by itself', /^(?!\p{Emoji_Presentation})[\p{Emoji}--[\u{1f202}\u{1f237}〰〽㊗㊙]]$/v, 1],
    [
      'a letter of Latin, Greek, Cyrillic, Arabic or Devanagari',
      /^[[[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Arab}\p{sc=Deva}]&&\p{L}]--[\uff21-\uff3a\uff41-\uff5a]]$/v,
      1,
    ],
    ['a letter of Han', /^[\p{sc=Han}&&\p{Lo}]$/v, 2],
    ['a syllable of Hangul', /^[가-힣]$/u, 2],
    ['what is drawn: lines, blocks, Braille, symbols of Powerline', /^[\u2500-\u259f\u2800-\u28ff\ue0a0-\ue0d4]$/u, 1],
  ])('gives %s its columns', (_name, property, columns) => {
    expect(others(property, columns)).toEqual([])
  })

  it('lets U+FE0F widen the emoji that are text by themselves, and nothing else of one column', () => {
    const widened: number[] = []
    const textual: number[] = []
    for (let code = 0x80; code <= 0x10ffff; code += 1) {
      if (wcwidth(code) !== 1) continue
      const letter = String.fromCodePoint(code)
      if (/^(?!\p{Emoji_Presentation})\p{Emoji}$/u.test(letter)) textual.push(code)
      if (columnsOf(propertiesOf(0xfe0f, propertiesOf(code, 0, 'emoji'), 'emoji')) === 2) widened.push(code)
    }
    expect(widened).toEqual(textual)
  })
})
