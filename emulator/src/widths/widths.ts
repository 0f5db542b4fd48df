/** How many columns a character takes, and which characters take theirs together. */
import { RUNS } from './table.ts'

/** Whether each character takes the columns that the C library counts (wcwidth), or an emoji of several takes those of one. */
export type Counting = 'characters' | 'emoji'

/** Columns of one character. */
export type Columns = 0 | 1 | 2

/** What xterm.js 5.5 keeps of a character for the next one: a state of ours, its columns, and whether it joined the one before. */
type Properties = number

const State = {
  other: 0,
  /** May take a skin tone, or be joined to another one. */
  pictograph: 1,
  /** The same of one column, to which U+FE0F gives two. */
  text: 2,
  /** A joiner came after a pictograph. */
  joined: 3,
  /** The first half of a flag. */
  regional: 4,
  /** What a key may show. */
  key: 5,
  /** The same with U+FE0F, which U+20E3 makes a key. */
  keyShown: 6,
} as const
type State = (typeof State)[keyof typeof State]

const packed = (state: State, columns: number, joins: boolean): Properties =>
  (state << 3) | (columns << 1) | (joins ? 1 : 0)
const COLUMNS_BITS = 0b110
/** Less is in the state `other`. */
const FIRST_STATE = 0b1000
const stateOf = (properties: Properties): number => properties >> 3

export const columnsOf = (properties: Properties): Columns => ((properties >> 1) & 3) as Columns
/** Whether it belongs to the character before. */
export const joins = (properties: Properties): boolean => (properties & 1) !== 0
/** Whether the next character finds the same before it. */
export const isSame = (one: Properties, other: Properties): boolean => one >> 1 === other >> 1
/** Whether a letter of one column may belong to what comes before. */
export const isOpen = (properties: Properties): boolean => stateOf(properties) === State.joined

const JOINER = 0x200d
const EMOJI_SHOWN = 0xfe0f
const KEYCAP = 0x20e3
const [REGIONAL_FIRST, REGIONAL_LAST] = [0x1f1e6, 0x1f1ff]
const [SKIN_FIRST, SKIN_LAST] = [0x1f3fb, 0x1f3ff]

/** Of the names in the table. */
const CLASSES: Readonly<Record<string, Properties>> = {
  Z: packed(State.other, 0, false),
  N: packed(State.other, 1, false),
  W: packed(State.other, 2, false),
  P: packed(State.pictograph, 2, false),
  T: packed(State.pictograph, 1, false),
  E: packed(State.text, 1, false),
}

/** Characters of which each has its entry; the others are searched for. */
const LISTED = 0x20000
/** No character of ASCII joins what is before it. */
const ASCII_END = 0x7f
/** Of each by itself, as emoji count. */
const listed = new Uint8Array(LISTED)
/** Where each run begins, and what it is of. */
const starts: number[] = []
const runs: Properties[] = []

let next = 0
for (const [, length, name] of RUNS.matchAll(/([0-9a-z]+)([A-Z])/g)) {
  starts.push(next)
  runs.push(CLASSES[name!]!)
  listed.fill(CLASSES[name!]!, next, Math.min((next += parseInt(length!, 36)), LISTED))
}
for (const key of '0123456789#*') listed[key.charCodeAt(0)] = packed(State.key, 1, false)
listed.fill(packed(State.regional, 1, false), REGIONAL_FIRST, REGIONAL_LAST + 1)

const aloneOf = (codePoint: number): Properties => {
  if (codePoint < LISTED) return listed[codePoint]!
  let [low, high] = [0, starts.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (starts[middle]! <= codePoint) low = middle
    else high = middle - 1
  }
  return runs[low]!
}

/** Columns of one character by itself: as Debian's C library counts them, and for newer characters as Unicode 17 says. */
export const wcwidth = (codePoint: number): Columns => columnsOf(aloneOf(codePoint))

/** Of a character after another one; `preceding` is 0 where there is none, as after a sequence. Called for each that is written. */
export const propertiesOf = (codePoint: number, preceding: Properties, counting: Counting): Properties => {
  // Nearly always: what joins nothing, or has nothing before it to join.
  if (codePoint < LISTED && (preceding < FIRST_STATE || codePoint < ASCII_END)) {
    const alone = listed[codePoint]!
    if (alone !== 0) return counting === 'emoji' ? alone : alone & COLUMNS_BITS
  }
  const alone = aloneOf(codePoint)
  const before = columnsOf(preceding)
  if (counting === 'emoji' && stateOf(preceding) !== State.other) {
    const columns = joinedColumns(codePoint, alone, preceding)
    if (columns !== 0) return packed(stateAfter(codePoint, alone, preceding), columns, true)
  }
  if (alone === 0 && before !== 0) return packed(State.other, before, true)
  return counting === 'emoji' ? alone : alone & COLUMNS_BITS
}

const isRegional = (code: number): boolean => code >= REGIONAL_FIRST && code <= REGIONAL_LAST
const isSkin = (code: number): boolean => code >= SKIN_FIRST && code <= SKIN_LAST
const isPictograph = (alone: Properties): boolean =>
  stateOf(alone) === State.pictograph || stateOf(alone) === State.text

/** Of the emoji that a character completes or goes on with; 0: it does neither. */
const joinedColumns = (codePoint: number, alone: Properties, preceding: Properties): Columns => {
  const before = columnsOf(preceding)
  switch (stateOf(preceding)) {
    case State.text:
    case State.pictograph:
      if (isSkin(codePoint) || (codePoint === EMOJI_SHOWN && stateOf(preceding) === State.text)) return 2
      return alone === 0 ? before : 0
    case State.joined:
      return isPictograph(alone) ? 2 : 0
    case State.regional:
      return isRegional(codePoint) ? 2 : 0
    case State.key:
      return codePoint === EMOJI_SHOWN ? before : 0
    case State.keyShown:
      return codePoint === KEYCAP ? 2 : 0
    default:
      return 0
  }
}

/** After a character that joined. */
const stateAfter = (codePoint: number, alone: Properties, preceding: Properties): State => {
  if (stateOf(preceding) === State.key) return State.keyShown
  if (codePoint === JOINER) return State.joined
  return isPictograph(preceding) || isPictograph(alone) ? State.pictograph : State.other
}

/** Columns of letters in one cell of an emulator; null: they would not share it. */
export const cellOf = (letters: string, counting: Counting): Properties | null => {
  let properties: Properties | null = null
  for (const letter of letters) {
    const now = propertiesOf(letter.codePointAt(0)!, properties ?? 0, counting)
    if (properties !== null && !joins(now)) return null
    properties = now
  }
  return properties
}
