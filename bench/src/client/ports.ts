/** Uses an app in an agent, at its port's host name or directly at the container's address. */
import { Agent, get } from 'node:http'
import { once } from 'node:events'
import WebSocket from 'ws'

export interface PortTarget {
  /** Address and TCP port to connect to. */
  readonly address: string
  readonly port: number
  /** `Host`, and the cookie that lets the client in. */
  readonly headers: Readonly<Record<string, string>>
}

/** Bytes of the answer. Fails if its status is not 200. */
const bytesOf = ({ address, port, headers }: PortTarget, path: string, agent: Agent): Promise<number> =>
  new Promise((resolve, reject) => {
    get({ host: address, port, path, headers, agent }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`${path} answered ${answer.statusCode}`))
      let bytes = 0
      answer.on('data', (chunk: Buffer) => (bytes += chunk.length))
      answer.on('end', () => resolve(bytes)).on('error', reject)
    }).on('error', reject)
  })

const withAgent = async <T>(work: (agent: Agent) => Promise<T>): Promise<T> => {
  const agent = new Agent({ keepAlive: true })
  try {
    return await work(agent)
  } finally {
    agent.destroy()
  }
}

/** Bytes a second of one answer. */
export const downloadPort = (target: PortTarget, path: string, expected: number): Promise<number> =>
  withAgent(async (agent) => {
    const started = performance.now()
    const bytes = await bytesOf(target, path, agent)
    if (bytes !== expected) throw new Error(`${bytes} bytes came instead of ${expected}`)
    return (bytes * 1000) / (performance.now() - started)
  })

/** Milliseconds of each of so many requests, one after the other over one connection. */
export const askPort = (target: PortTarget, path: string, times: number): Promise<number[]> =>
  withAgent(async (agent) => {
    const samples: number[] = []
    for (let at = 0; at < times; at += 1) {
      const started = performance.now()
      await bytesOf(target, path, agent)
      samples.push(performance.now() - started)
    }
    return samples
  })

/** Milliseconds of each of so many rounds, in which all of the WebSockets send a message and wait for it to come back. */
export const echoPort = async (
  { address, port, headers }: PortTarget,
  sockets: number,
  rounds: number,
): Promise<number[]> => {
  const open = await Promise.all(
    Array.from({ length: sockets }, async () => {
      const socket = new WebSocket(`ws://${address}:${port}/socket`, { headers, perMessageDeflate: false })
      await once(socket, 'open')
      return socket
    }),
  )
  const samples: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now()
    await Promise.all(
      open.map(async (socket) => {
        const came = once(socket, 'message')
        socket.send(`message ${round}`)
        await came
      }),
    )
    samples.push(performance.now() - started)
  }
  for (const socket of open) socket.terminate()
  return samples
}
