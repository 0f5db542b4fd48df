/**
 * Writes src/widths/table.ts anew: `node width-table.mjs EastAsianWidth.txt > ../src/widths/table.ts`.
 * The engine knows every other property of a character, so its Unicode version has to be that of the file.
 */
import { readFileSync } from 'node:fs'

const LAST = 0x10ffff
const LINE = 112

const wide = new Uint8Array(LAST + 1)
for (const line of readFileSync(process.argv[2], 'utf8').split('\n')) {
  const found = /^([0-9A-F]+)(?:\.\.([0-9A-F]+))?\s*;\s*[WF]\b/.exec(line)
  if (found) wide.fill(1, parseInt(found[1], 16), parseInt(found[2] ?? found[1], 16) + 1)
}

/** Wide since Unicode 16 only; the C library of the images, and the CLIs, count one column. */
const NARROW = [
  [0x2630, 0x2637],
  [0x268a, 0x268f],
  [0x1d300, 0x1d376],
]
for (const [first, last] of NARROW) wide.fill(0, first, last + 1)

/** The later parts of a syllable of Hangul, which takes the two columns of its first. */
const isLaterJamo = (code) => (code >= 0x1160 && code <= 0x11ff) || (code >= 0xd7b0 && code <= 0xd7ff)
const isControl = (code) => code < 0x20 || (code >= 0x7f && code < 0xa0)
const SOFT_HYPHEN = 0xad

const classOf = (code) => {
  const letter = String.fromCodePoint(code)
  if (isControl(code) || isLaterJamo(code)) return 'Z'
  if (code !== SOFT_HYPHEN && /^[\p{Mn}\p{Me}\p{Cf}]$/u.test(letter)) return 'Z'
  const isPictograph = /^\p{Extended_Pictographic}$/u.test(letter)
  if (wide[code] === 1) return isPictograph ? 'P' : 'W'
  if (!isPictograph) return 'N'
  return /^\p{Emoji}$/u.test(letter) ? 'E' : 'T'
}

const runs = []
for (let code = 0; code <= LAST; code += 1) {
  const is = classOf(code)
  if (runs.at(-1)?.is === is) runs.at(-1).length += 1
  else runs.push({ is, length: 1 })
}
const text = runs.map(({ is, length }) => `${length.toString(36)}${is}`).join('')
const lines = text.match(new RegExp(`.{1,${LINE}}`, 'g')).map((line) => `  '${line}'`)
process.stdout.write(`/**
 * Written by scripts/width-table.mjs, from Unicode ${process.versions.unicode}. Runs of characters that are alike, from U+0000 on: how many, in base 36, and what.
 * Z: no column, N: one, W: two. Of the pictographs P takes two, T and E one; U+FE0F makes E, an emoji, take two.
 */
export const RUNS =
${lines.join(' +\n')}
`)
