/**
 * What git or a set-up prints, as lines for people: the last of them, and how far git is. The text comes from a container
 * and from remote servers, so it may be anything.
 */
import { StringDecoder } from 'node:string_decoder'
import { stripVTControlCharacters } from 'node:util'
import { PREPARATION_OUTPUT_MAX } from '@slipway/protocol'

/** How far git is. */
export interface GitProgress {
  /** As git calls it, such as `Receiving objects`. */
  readonly step: string
  readonly percent: number | null
}

/** Longest line whose end has not come yet, in characters. A longer one is cut. */
const LINE_MAX = 1000
/** `remote: Counting objects:  42% (5/12)`, and `remote: Enumerating objects: 5, done.`. */
const PROGRESS = /^(?:remote: )?([A-Z][a-z]+(?: [a-z]+){0,2}): +(?:(\d{1,3})% \(|\d+(?:, done\.)?$)/
/** What controls a terminal or the direction of a text. */
const CONTROLS = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** One output of one program. */
interface Source {
  readonly decoder: StringDecoder
  /** The line that is not complete. */
  line: string
}

export class Transcript {
  /** By name. The programs that prepare an agent at the same time are bounded. */
  readonly #sources = new Map<string, Source>()
  #lines = ''
  #progress: GitProgress | null = null

  /** Lines of several sources are never mixed. */
  add(chunk: Uint8Array, name = ''): void {
    const source = this.#sources.get(name) ?? { decoder: new StringDecoder('utf8'), line: '' }
    this.#sources.set(name, source)
    const text = source.line + source.decoder.write(Buffer.from(chunk))
    const parts = text.split(/(\r\n|\n|\r(?!$))/)
    for (let at = 0; at + 1 < parts.length; at += 2) this.#ended(parts[at] ?? '', parts[at + 1] === '\r')
    source.line = (parts.at(-1) ?? '').slice(0, LINE_MAX)
  }

  /** Null before git has said how far it is. */
  get progress(): GitProgress | null {
    return this.#progress
  }

  /** The last lines, of at most {@link PREPARATION_OUTPUT_MAX} characters. */
  get text(): string {
    const begun = [...this.#sources.values()].map(({ line }) => line).filter((line) => line !== '' && !isProgress(line))
    return last(this.#lines + begun.map(clean).join('\n')).trimEnd()
  }

  /** `isReplaced`: the program writes another line over it. */
  #ended(raw: string, isReplaced: boolean): void {
    const line = clean(raw.slice(0, LINE_MAX))
    const [, step, percent] = PROGRESS.exec(line) ?? []
    if (step !== undefined) this.#progress = { step, percent: percent === undefined ? null : Math.min(100, +percent) }
    else if (!isReplaced && !line.startsWith('Cloning into ')) this.#lines = last(`${this.#lines}${line}\n`)
  }
}

const isProgress = (line: string): boolean => PROGRESS.test(clean(line))
const last = (text: string): string => text.slice(-PREPARATION_OUTPUT_MAX).toWellFormed()
const clean = (line: string): string =>
  stripVTControlCharacters(line).replaceAll('\t', '  ').replaceAll(CONTROLS, '').toWellFormed()
