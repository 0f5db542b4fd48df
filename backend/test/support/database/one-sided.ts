/** A network to a database that breaks on the side of the client alone, as a firewall's reset does. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface OneSided {
  /** The address of the database through this network. */
  readonly url: string
  /** Breaks the connections of the clients. The database sees nothing of it. */
  cut(): void
  close(): Promise<void>
}

export async function oneSided(databaseUrl: string): Promise<OneSided> {
  const { hostname, port } = new URL(databaseUrl)
  const clients = new Set<Socket>()
  const upstreams = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    clients.add(client)
    upstreams.add(upstream)
    for (const socket of [client, upstream]) socket.on('error', () => undefined)
    client.on('data', (data) => upstream.write(data))
    client.on('end', () => upstream.end())
    upstream.on('data', (data) => client.write(data))
    upstream.on('close', () => client.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = (): void => {
    for (const client of clients) client.destroy()
    clients.clear()
  }
  return {
    url: Object.assign(new URL(databaseUrl), { port: String((server.address() as AddressInfo).port) }).href,
    cut,
    close: async () => {
      cut()
      for (const upstream of upstreams) upstream.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
