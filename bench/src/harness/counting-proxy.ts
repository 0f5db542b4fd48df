/** Stands between a backend and the engine and counts what is asked. Plain requests only: nothing here opens a terminal. */
import { createServer, request } from 'node:http'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Cleanup } from './cleanup.ts'
import { docker } from './engine.ts'

export class CountingProxy {
  /** For the backend's `DOCKER_HOST`. */
  readonly address: string
  readonly requests: string[] = []

  private constructor(address: string) {
    this.address = address
  }

  static async start(cleanup: Cleanup): Promise<CountingProxy> {
    // A folder that nobody else may enter: whoever reaches the engine has the machine.
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
  /** A function where it has yet to be looked for. */
  readonly socketPath?: string | (() => Promise<string>)
  readonly host?: string
  readonly port?: string | number
}

/** Where dockerode itself would go, `DOCKER_HOST` included. */
const engineAddress = async () => {
  const { socketPath, host, port } = docker.modem as Modem
  if (socketPath === undefined) return { host, port }
  return { socketPath: typeof socketPath === 'string' ? socketPath : await socketPath() }
}
