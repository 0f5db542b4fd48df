/**
 * The holder's binary. The project's own images contain it. Into containers of other images it is copied by an exec.
 */
import { createHash } from 'node:crypto'
import { PassThrough } from 'node:stream'
import type Docker from 'dockerode'
import { RuntimeError } from '../../errors.ts'
import type { RunOptions, RunResult } from '../../port.ts'
import { PROTOCOL_VERSION } from './frames.ts'

/** Its path in the project's images. It belongs to root, so that nothing in the container can change it. */
export const BUILT_IN = '/usr/local/lib/slipway/holder'
/** Folder of the sessions' sockets, and of the copied binary if the image has none. */
export const FOLDER = '/tmp/.slipway'
/** Exit code of {@link holderArgv} if no binary runs there. */
export const MISSING = 125
/** Limit for the binary's size, in bytes. It takes less than 1 MB. */
const MAX_BYTES = 8_388_608
const WITHIN_MS = 20_000
/** How many containers are remembered as having no binary of their own. A forgotten one is tried once more. */
const WITHOUT_MAX = 1000

/**
 * Arguments with which a binary succeeds only if it has this ability. The binary of an older image holds terminals, and
 * attaches to everything that is held. Only a copied binary holds programs on pipes there.
 */
const ABLE = { terminals: 'list /nonexistent', programs: `speaks ${PROTOCOL_VERSION}` }
export type Ability = keyof typeof ABLE

/**
 * Finds a binary and replaces itself with it; `$1` is the path of the copied one. Each is tried before use, because it
 * may be for another architecture.
 */
const find = (ability: Ability): string => `for program in ${BUILT_IN} "$1"; do
  [ -x "$program" ] && "$program" ${ABLE[ability]} 2>/dev/null && shift && exec "$program" "$@"
done
exit ${MISSING}`
const PUT = `umask 077; mkdir -p ${FOLDER} && cat >"$1.new" && chmod 700 "$1.new" && mv "$1.new" "$1"`

/** The argv that runs the holder, built in or copied. */
export const holderArgv = (put: string, ability: Ability, args: readonly string[]): string[] => [
  '/bin/sh',
  '-c',
  find(ability),
  'slipway-holder',
  put,
  ...args,
]

/** The bytes of the holder's binary, read from one image. */
export class HolderBinary {
  readonly #docker: Docker
  readonly #image: string
  #bytes: Promise<Buffer> | null = null
  /**
   * The path of the copied binary. Once its content is known, the name contains a hash of it, so that an old copy is
   * never used.
   */
  #path = `${FOLDER}/holder`
  /** Containers, each with an ability that the binary of their image lacks. */
  readonly #without = new Set<string>()

  /** `image` is one of the project's images. */
  constructor(docker: Docker, image: string) {
    this.#docker = docker
    this.#image = image
  }

  /** The path of the copied binary, for {@link holderArgv}. */
  get path(): string {
    return this.#path
  }

  /**
   * The argv that runs the holder in that container. If its image may have the binary, it runs at once: a check first
   * would take two more processes, and delay each terminal.
   */
  argvFor(containerId: string, ability: Ability, args: readonly string[]): string[] {
    const isMissing = this.#without.has(`${containerId} ${ability}`)
    return isMissing ? holderArgv(this.#path, ability, args) : [BUILT_IN, ...args]
  }

  /** Notes that the argv of {@link argvFor} does not run there, or is too old. False: this was known already. */
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

  /**
   * Copies the binary into a container. Fails with a `RuntimeError` if the image has none, or the container refuses it.
   */
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
      // If the image has no binary, a later try fails as well. After an error of the engine, the next call tries again.
      if (!(error instanceof RuntimeError && error.code === 'unsupported')) this.#bytes = null
      throw error
    }
  }
}

/** Runs a container without a network, whose output is the binary. */
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
