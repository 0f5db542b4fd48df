/** The holder's program: in the project's own images it is there; into others it is put, through an exec. */
import { createHash } from 'node:crypto'
import { PassThrough } from 'node:stream'
import type Docker from 'dockerode'
import { RuntimeError } from '../../errors.ts'
import type { RunOptions, RunResult } from '../../port.ts'
import { PROTOCOL_VERSION } from './frames.ts'

/** Where the project's images have it: root's, so that nobody in the container can change it. */
export const BUILT_IN = '/usr/local/lib/slipway/holder'
/** Where sessions are found, and the program where the image has none. */
export const FOLDER = '/tmp/.slipway'
/** Exit code of {@link holderArgv} where there is no program that runs. */
export const MISSING = 125
/** The program is under 1 MB. */
const MAX_BYTES = 8_388_608
const WITHIN_MS = 20_000
/** Containers that are remembered to have no program of their own; one that is forgotten is tried once more. */
const WITHOUT_MAX = 1000

/**
 * What a program has to be able to do, as arguments with which it ends well where it is. One of an older image holds terminals, and
 * attaches to all that is held; only what was put beside it holds programs on pipes.
 */
const ABLE = { terminals: 'list /nonexistent', programs: `speaks ${PROTOCOL_VERSION}` }
export type Ability = keyof typeof ABLE

/** Finds the program and becomes it; `$1` is where it was put. It is tried first: it may be of another architecture. */
const find = (ability: Ability): string => `for program in ${BUILT_IN} "$1"; do
  [ -x "$program" ] && "$program" ${ABLE[ability]} 2>/dev/null && shift && exec "$program" "$@"
done
exit ${MISSING}`
const PUT = `umask 077; mkdir -p ${FOLDER} && cat >"$1.new" && chmod 700 "$1.new" && mv "$1.new" "$1"`

/** The argument list that runs the holder, be it built in or put. */
export const holderArgv = (put: string, ability: Ability, args: readonly string[]): string[] => [
  '/bin/sh',
  '-c',
  find(ability),
  'slipway-holder',
  put,
  ...args,
]

/** Knows the program's bytes, which it takes from one image. */
export class HolderBinary {
  readonly #docker: Docker
  readonly #image: string
  #bytes: Promise<Buffer> | null = null
  /** Where it is put: named by its content once that is known, so that an old one is never used. */
  #path = `${FOLDER}/holder`
  /** Containers, and what the program that their image has, if any, is not able to do there. */
  readonly #without = new Set<string>()

  /** `image` is one of the project's. */
  constructor(docker: Docker, image: string) {
    this.#docker = docker
    this.#image = image
  }

  /** Where it is put, for {@link holderArgv}. */
  get path(): string {
    return this.#path
  }

  /**
   * How to run it in that container: at once where its image may have it, since to look first takes two processes more, of
   * which every terminal would have to wait for the end.
   */
  argvFor(containerId: string, ability: Ability, args: readonly string[]): string[] {
    const isMissing = this.#without.has(`${containerId} ${ability}`)
    return isMissing ? holderArgv(this.#path, ability, args) : [BUILT_IN, ...args]
  }

  /** Notes that what {@link argvFor} said does not run there, or is too old. False: that was known. */
  noteMissing(containerId: string, ability: Ability): boolean {
    const missing = `${containerId} ${ability}`
    if (this.#without.has(missing)) return false
    for (const oldest of this.#without) {
      if (this.#without.size < WITHOUT_MAX) break
      this.#without.delete(oldest)
    }
    this.#without.add(missing)
    return true
  }

  /** Fails with a `RuntimeError` where the image has none, or the container takes none. */
  async put(run: (options: RunOptions) => Promise<RunResult>): Promise<void> {
    const input = await this.#load()
    const argv = ['/bin/sh', '-c', PUT, 'slipway-put', this.#path]
    const { exitCode, stderr } = await run({ argv, input, timeoutMs: WITHIN_MS, maxOutputBytes: 1024 })
    if (exitCode !== 0) throw new RuntimeError('engine_error', `the holder could not be put: ${stderr.toString()}`)
  }

  async #load(): Promise<Buffer> {
    this.#bytes ??= readFromImage(this.#docker, this.#image)
    try {
      const bytes = await this.#bytes
      this.#path = `${FOLDER}/holder-${createHash('sha256').update(bytes).digest('hex').slice(0, 12)}`
      return bytes
    } catch (error) {
      // What the image lacks it will lack the next time, too; an engine comes back.
      if (!(error instanceof RuntimeError && error.code === 'unsupported')) this.#bytes = null
      throw error
    }
  }
}

/** By a container of our own without network, whose output it is. */
const readFromImage = async (docker: Docker, image: string): Promise<Buffer> => {
  const HostConfig = {
    AutoRemove: true,
    NetworkMode: 'none',
    CapDrop: ['ALL'],
    ReadonlyRootfs: true,
    SecurityOpt: ['no-new-privileges'],
  }
  const container = await docker.createContainer({ Image: image, Entrypoint: ['cat'], Cmd: [BUILT_IN], HostConfig })
  const stream = await container.attach({ stream: true, stdout: true, hijack: true })
  const exited = container.wait({ condition: 'next-exit' }) as Promise<{ StatusCode: number }>
  const [bytes, { StatusCode }] = await Promise.all([collect(docker, stream), exited, container.start()])
  if (StatusCode === 0) return bytes
  throw new RuntimeError('unsupported', `${image} has no holder`)
}

const collect = async (docker: Docker, stream: NodeJS.ReadableStream): Promise<Buffer> => {
  const output = new PassThrough()
  docker.modem.demuxStream(stream, output, new PassThrough().resume())
  stream.once('end', () => output.end())
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of output as AsyncIterable<Buffer>) {
    size += piece.length
    if (size > MAX_BYTES) throw new RuntimeError('unsupported', 'what the image has is no holder')
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
