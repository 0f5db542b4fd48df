/**
 * A dockerd of the test, beside the machine's. It has its own folders, socket and network namespace, so stopping it
 * does not disturb other tests. Without the namespace it would: a dockerd without a default bridge removes the
 * machine's bridge.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getuid } from 'node:process'
import { PassThrough } from 'node:stream'
import { until } from '@slipway/testing'
import Docker from 'dockerode'
import { IMAGE } from './engine.ts'

/** Longest time until dockerd answers, and until it has ended, in milliseconds. It ends its containers first. */
const READY_WITHIN_MS = 120_000
const ENDED_WITHIN_MS = 120_000

/** Whether a test can run a dockerd on this machine. */
export const canRunEngines = getuid?.() === 0

const PACK = readFileSync(join(import.meta.dirname, 'small-image.sh'), 'utf8')

export class SecondEngine {
  readonly #folder = mkdtempSync(join(tmpdir(), 'slipway-test-dockerd-'))
  readonly #liveRestore: boolean
  /** The mount of its network namespace, so that the next start uses the same one. */
  readonly #network = join(this.#folder, 'network')
  readonly socketPath = join(this.#folder, 'docker.sock')
  readonly docker = new Docker({ socketPath: this.socketPath })
  /** A few megabytes of {@link IMAGE}. */
  readonly image = 'slipway-test-small:latest'
  #daemon: ChildProcess | null = null

  constructor({ liveRestore }: { readonly liveRestore: boolean }) {
    this.#liveRestore = liveRestore
  }

  async start(): Promise<void> {
    const name = `slipway-${this.#folder.slice(-6)}`
    const log = openSync(join(this.#folder, 'log'), 'a')
    const options = {
      'data-root': join(this.#folder, 'data'),
      'exec-root': join(this.#folder, 'run'),
      pidfile: join(this.#folder, 'pid'),
      host: `unix://${this.socketPath}`,
      bridge: 'none',
      iptables: 'false',
      ip6tables: 'false',
      'ip-forward': 'false',
      'live-restore': String(this.#liveRestore),
      // If the machine's engines share one containerd, this name separates them.
      'containerd-namespace': name,
      'containerd-plugins-namespace': `${name}-plugins`,
    }
    const argv = Object.entries(options).map(([option, value]) => `--${option}=${value}`)
    if (!existsSync(this.#network)) {
      writeFileSync(this.#network, '')
      const { status } = spawnSync('unshare', [`--net=${this.#network}`, 'true'])
      if (status !== 0) throw new Error('no network namespace could be made')
    }
    // nsenter execs dockerd, so signals reach dockerd.
    const command = [`--net=${this.#network}`, '--', 'dockerd', ...argv]
    const daemon = spawn('nsenter', command, { stdio: ['ignore', log, log], detached: true })
    this.#daemon = daemon
    closeSync(log)
    await until(
      'the second dockerd',
      async () => {
        if (daemon.exitCode !== null) throw new Error(`dockerd ended:\n${this.#log()}`)
        return this.docker.ping().then(
          () => true,
          () => false,
        )
      },
      READY_WITHIN_MS,
    )
  }

  /**
   * Stops the engine. SIGTERM ends it in order, as an upgrade does. SIGKILL ends it like a crash, and leaves the
   * containers running.
   */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const daemon = this.#daemon
    this.#daemon = null
    if (daemon === null || daemon.exitCode !== null) return
    const ended = once(daemon, 'exit', { signal: AbortSignal.timeout(ENDED_WITHIN_MS) })
    daemon.kill(signal)
    await ended
    // The killed engine's containerd ends, too. If nothing reaps it, the next dockerd takes it for a running one and
    // waits for it.
    if (signal === 'SIGKILL') rmSync(join(this.#folder, 'run/containerd/containerd.pid'), { force: true })
  }

  /** Copies the part of the image that tests of terminals need, from the machine's engine. */
  async loadImage(from = new Docker()): Promise<void> {
    const container = await from.createContainer({
      Image: IMAGE,
      Entrypoint: ['sh', '-c', PACK],
      User: '0',
      HostConfig: { AutoRemove: true, NetworkMode: 'none' },
    })
    const packed = await container.attach({ stream: true, stdout: true, hijack: true })
    const output = new PassThrough()
    from.modem.demuxStream(packed, output, new PassThrough().resume())
    packed.once('end', () => output.end())
    await container.start()
    const [repo, tag] = this.image.split(':')
    const progress = await this.docker.importImage(output, { repo, tag } as object)
    await new Promise((resolve, reject) =>
      this.docker.modem.followProgress(progress, (error) => (error ? reject(error) : resolve(null))),
    )
  }

  /** Stops the engine, and removes everything that was made on it. */
  async remove(): Promise<void> {
    if (this.#daemon === null) await this.start()
    for (const { Id } of await this.docker.listContainers({ all: true }))
      await this.docker.getContainer(Id).remove({ force: true, v: true })
    await this.stop()
    // The network namespace stays mounted. With live-restore the data folder does, too.
    const mounts = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' ')[1] ?? '')
    for (const path of mounts.filter((mounted) => mounted.startsWith(this.#folder)).reverse())
      spawnSync('umount', [path])
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #log(): string {
    return readFileSync(join(this.#folder, 'log'), 'utf8').split('\n').slice(-20).join('\n')
  }
}
