/** Tries from inside a container what a hostile agent can reach. */
import { type AddressInfo, createServer, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { ContainerRuntime } from '../../../src/runtime/port.ts'

/** Prints the result for each target. A dropped connection counts as refused. */
const PROBE = `
import socket, sys
for target in sys.argv[1:]:
    host, _, port = target.rpartition(' ')
    outcome = 'refused'
    try:
        family, kind, proto, _, address = socket.getaddrinfo(host, int(port), type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, proto) as probe:
            probe.settimeout(2)
            probe.connect(address)
            outcome = 'opened'
            probe.sendall(b'GET /api/health HTTP/1.1\\r\\nhost: x\\r\\nconnection: close\\r\\n\\r\\n')
            outcome = 'answered' if probe.recv(64) else 'opened'
    except OSError:
        pass
    print(target, outcome, flush=True)
`

interface Reached {
  /** Targets that accepted the connection, with or without a greeting. */
  readonly opened: readonly string[]
  /** Targets among them that sent at least one byte after a request. */
  readonly answered: readonly string[]
}

/** Answers which targets a container reaches. A target is an address and a port. */
export const reachedFrom = async (
  runtime: ContainerRuntime,
  containerId: string,
  targets: readonly string[],
): Promise<Reached> => {
  const options = { argv: ['python3', '-c', PROBE, ...targets], timeoutMs: 120_000, maxOutputBytes: 100_000 }
  const { stdout } = await runtime.run(containerId, options)
  const lines = stdout.toString().trim().split('\n')
  if (lines.length !== targets.length) throw new Error(`not every target was tried: ${stdout.toString()}`)
  const those = (...outcomes: string[]): string[] =>
    targets.filter((target) => outcomes.some((outcome) => lines.includes(`${target} ${outcome}`)))
  return { opened: those('opened', 'answered'), answered: those('answered') }
}

/** All addresses of this machine, with loopback and link-local ones. */
export const hostAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((addresses) =>
    (addresses ?? []).map(({ address }) => (address.startsWith('fe80:') ? `${address}%eth0` : address)),
  )

const listeners: Server[] = []

/**
 * Opens a listener on this machine, and answers its port. It greets each client, or waits for the client's first bytes
 * as a database does.
 */
export const listenOn = async (host: string, greeting: 'hello' | '' = 'hello'): Promise<number> => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.resume()
    if (greeting !== '') socket.end(greeting)
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  listeners.push(server)
  return (server.address() as AddressInfo).port
}

export const stopListening = async (): Promise<void> => {
  await Promise.all(listeners.splice(0).map((server) => new Promise((resolve) => server.close(resolve))))
}
