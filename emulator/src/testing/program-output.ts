/** Random output, like that of programs. */

/** Random numbers that repeat in each run. */
export const numbers = (seed: number) => (below: number) => {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
  return (seed >>> 8) % below
}

/** Whole, and parts of which one may join another. */
const EMOJI = [
  ...['👍🏽', '⚠\ufe0f', '🇩🇪', '👩\u200d👧', '1\ufe0f\u20e3', '❤\ufe0f\u200d🔥', '🕵\u200d♀\ufe0f'],
  ...['👍', '🏽', '⚠', '☝', '🇩', '👩\u200d', '♀', '1\ufe0f', '1\u20e3', '⌚\ufe0e'],
]

/** Random output in any order. */
export const anything = (next: (below: number) => number): string => {
  const n = () => next(25)
  const pieces = [
    () => 'some words ',
    () => '漢字',
    () => 'é e\u0301',
    () => EMOJI[next(EMOJI.length)]!.repeat(1 + next(2)),
    () => `\x1b[?2027${'hl'[next(2)]}`,
    () => '\r\n',
    () => '\n',
    () => '\t',
    () => '\b',
    () => 'long '.repeat(9),
    () => `\x1b[${n()};${n()}H`,
    () => `\x1b[${next(108)}m`,
    () => `\x1b[38;5;${next(256)};48;5;${next(256)}m`,
    () => `\x1b[38;2;${n()};${n()};${n()}m`,
    () => '\x1b[m',
    () => `\x1b[${next(3)}J`,
    () => `\x1b[${next(3)}K`,
    () => `\x1b[${n()}${'ABCDEFGLMPSTX@Z`'[next(16)]}`,
    () => `\x1b[${1 + next(3)};${3 + next(5)}r`,
    () => `\x1b[?${[1, 6, 7, 25, 45, 47, 1000, 1002, 1003, 1004, 1006, 1047, 1049, 2004][next(14)]}${'hl'[next(2)]}`,
    () => '\x1b7',
    () => '\x1b8',
    () => '\x1bM',
    () => `\x1b[4:${next(6)}m`,
    () => `\x1b]8;;${next(2) ? 'https://example.org' : ''}\x1b\\`,
  ]
  return pieces[next(pieces.length)]!()
}
