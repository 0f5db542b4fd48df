/**
 * Counts the requests from a backend to the engine. It passes on plain requests only, so no terminal can be opened
 * through it.
 */
import { createServer, request } from 'node:http'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Cleanup } from './cleanup.ts'
import { docker } from './engine.ts'

export class CountingProxy {
  /** Value of the backend's `DOCKER_HOST`. */
  readonly address: string
  readonly requests: string[] = []

  private constructor(address: string) {
    this.address = address
  }

  static async start(cleanup: Cleanup): Promise<CountingProxy> {
    // No other user may enter the folder, because access to the engine is access to the machine.
    const folder = await mkdtemp(join(tmpdir(), 'slipway-bench-engine-'))
    const path = join(folder, 'engine.sock')
    const proxy = new CountingProxy(`unix://${path}`)
    const upstream = await engineAddress()
    const server = createServer((incoming, outgoing) => {
      const { method, url: target, headers } = incoming
      proxy.requests.push(`${method ?? ''} ${target ?? ''}`)
      const forwarded = request({ ...upstream, method, path: target, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        // A stream of events has a head long before it has a body.
        outgoing.flushHeaders()
        answer.pipe(outgoing)
      })
      forwarded.on('error', () => outgoing.destroy())
      outgoing.on('close', () => forwarded.destroy())
      incoming.pipe(forwarded)
    })
    cleanup.add(async () => {
      server.close()
      server.closeAllConnections()
      await rm(folder, { recursive: true, force: true })
    })
    server.listen(path)
    await once(server, 'listening')
    return proxy
  }
}

interface Modem {
  /** A function if the path must be looked up first. */
  readonly socketPath?: string | (() => Promise<string>)
  readonly host?: string
  readonly port?: string | number
}

/** The engine's address as dockerode finds it, with `DOCKER_HOST`. */
const engineAddress = async () => {
  const { socketPath, host, port } = docker.modem as Modem
  if (socketPath === undefined) return { host, port }
  return { socketPath: typeof socketPath === 'string' ? socketPath : await socketPath() }
}
