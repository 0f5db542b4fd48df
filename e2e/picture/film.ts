/** A film: stills with their durations, encoded as an animated WebP. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

interface Still {
  readonly png: Buffer
  /** How long it is shown, in milliseconds. */
  ms: number
}

/** Stills between two key frames of the encoder. Other frames contain only changes. */
const KEY_STILLS = '100000'

export class Film {
  readonly #stills: Still[] = []

  /** Adds a still for a time. If it equals the last one, extends that one. */
  add(png: Buffer, ms: number): void {
    const last = this.#stills.at(-1)
    if (last?.png.equals(png) === true) last.ms += ms
    else this.#stills.push({ png, ms })
  }

  get seconds(): number {
    return this.#stills.reduce((sum, { ms }) => sum + ms, 0) / 1_000
  }

  get stills(): number {
    return this.#stills.length
  }

  /** Writes the film with Debian's img2webp, lossless: letters stay sharp, and screens of few colours become small. */
  async encode(file: string): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), 'slipway-film-'))
    try {
      const argv = ['-loop', '0', '-min_size', '-kmin', KEY_STILLS, '-kmax', KEY_STILLS]
      for (const [index, { png, ms }] of this.#stills.entries()) {
        const still = join(folder, `${String(index).padStart(4, '0')}.png`)
        await writeFile(still, png)
        argv.push('-d', String(ms), '-lossless', '-m', '6', still)
      }
      await promisify(execFile)('img2webp', [...argv, '-o', file])
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
}
