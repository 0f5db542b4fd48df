/** Creates the font subsets in this folder. README.md says how to run it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import subsetFont from 'subset-font'

/** Each subset with its source file and its characters, which are its range in symbols.css. */
const PIECES = [
  [
    'dejavu-sans-mono',
    '@fontsource/dejavu-mono/files/dejavu-mono-latin-400-normal.woff2',
    [
      [0x2190, 0x22ff],
      [0x2300, 0x23ae],
      [0x23cd, 0x23e8],
      [0x2500, 0x27bf],
      [0x27f0, 0x27ff],
      [0x2900, 0x297f],
      [0x2b00, 0x2bff],
    ],
  ],
  [
    'noto-sans-symbols-2',
    '@fontsource/noto-sans-symbols-2/files/noto-sans-symbols-2-symbols-400-normal.woff2',
    [[0x23e9, 0x23ff]],
  ],
  [
    'noto-sans-symbols',
    '@fontsource-variable/noto-sans-symbols/files/noto-sans-symbols-symbols-wght-normal.woff2',
    [
      [0x23af, 0x23af],
      [0x23ba, 0x23cc],
    ],
    { variationAxes: { wght: 400 } },
  ],
  [
    'noto-sans-symbols-2-braille',
    '@fontsource/noto-sans-symbols-2/files/noto-sans-symbols-2-braille-400-normal.woff2',
    [[0x2800, 0x28ff]],
  ],
]

for (const [name, source, ranges, options] of PIECES) {
  const characters = ranges.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index)),
  )
  const font = readFileSync(fileURLToPath(import.meta.resolve(source)))
  const piece = await subsetFont(font, characters.join(''), { targetFormat: 'woff2', ...options })
  writeFileSync(new URL(`${name}.woff2`, import.meta.url), piece)
}
