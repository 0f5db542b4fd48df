/** What a hostile container can reach, tried from inside it. */
import { type AddressInfo, createServer, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { ContainerRuntime } from '../../../src/runtime/port.ts'

/** Prints each target with what became of it; a connection that is dropped counts as refused. */
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
  /** Those that took the connection, whether they said something or not. */
  readonly opened: readonly string[]
  /** Those of them that answered a request, with so much as a byte. */
  readonly answered: readonly string[]
}

/** Which of the targets, each an address and a port, a container reaches. */
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

/** Every address of this machine, loopback and link-local ones among them. */
export const hostAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((addresses) =>
    (addresses ?? []).map(({ address }) => (address.startsWith('fe80:') ? `${address}%eth0` : address)),
  )

const listeners: Server[] = []

/** Something of the machine's own that greets whoever comes or, like a database, waits for the first word. Answers its port. */
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
