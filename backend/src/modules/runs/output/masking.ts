/** Removes known secrets from the output of a run, before anything is stored or read. */
import { Search, type Span } from './search.ts'
import { spellingsOf } from './spellings.ts'

/** Most secrets of one run: more than an agent, its users and the platform have. Beyond it the oldest are dropped. */
const SECRETS_MAX = 512
/** Replaces a secret. It needs no escaping in JSON. */
const MASK = '***'
/** A character of a JSON string that could stand for itself. It hides a secret from a search in the line. */
const NEEDLESS_ESCAPE = /\\(?:u(?!00[01])|\/)/

/** The text with {@link MASK} in place of each span. */
export const withoutSpans = (text: string, spans: readonly Span[]): string => {
  if (spans.length === 0) return text
  let masked = ''
  let at = 0
  for (const { start, end } of spans) {
    masked += text.slice(at, start) + MASK
    at = end
  }
  return masked + text.slice(at)
}

/** The secrets that are known to a run. */
export class Masking {
  /** The oldest first. */
  #secrets: readonly string[] = []
  #search = new Search([])

  constructor(secrets: readonly string[] = []) {
    this.learn(secrets)
  }

  /** Where the secrets are in a text, and where an incomplete one begins at its end. */
  get search(): Search {
    return this.#search
  }

  /** Masks these, too, from now on. */
  learn(secrets: readonly string[]): void {
    if (secrets.length === 0) return
    const known = new Set(this.#secrets)
    for (const secret of secrets) {
      known.delete(secret)
      known.add(secret)
    }
    this.#secrets = [...known].slice(-SECRETS_MAX)
    this.#search = new Search(this.#secrets.flatMap(spellingsOf))
  }

  /** The line without these secrets, in any spelling. A line without secrets is answered as it is. */
  mask(line: string): string {
    const masked = this.#replaced(line)
    // Most lines have neither, and looking for a fixed text is faster.
    const isPlain = !masked.includes('\\u') && !masked.includes('\\/')
    if (isPlain || !NEEDLESS_ESCAPE.test(masked)) return masked
    const plain = rewritten(masked)
    const replaced = this.#replaced(plain)
    return replaced === plain ? masked : replaced
  }

  #replaced(text: string): string {
    return withoutSpans(text, this.#search.spans(text))
  }
}

/** A JSON value as `JSON.stringify` writes it; any other text as it is. */
const rewritten = (line: string): string => {
  try {
    return JSON.stringify(JSON.parse(line))
  } catch {
    return line
  }
}
