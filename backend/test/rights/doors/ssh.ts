/** Asks the SSH server for something, as ssh2's client does. */
import { once } from 'node:events'
import ssh2, { type Client, type ClientChannel } from 'ssh2'
import type { Answer } from '../table/row.ts'

type Opened = (error: Error | undefined, channel: ClientChannel) => void

/** What a client asks for, by the last word of the address. */
const WAYS: Readonly<Record<string, (client: Client, opened: Opened) => unknown>> = {
  exec: (client, opened) => client.exec('id', opened),
  shell: (client, opened) => client.shell(false, opened),
  subsystem: (client, opened) => client.subsys('sftp', opened),
  tcpip: (client, opened) => client.forwardOut('127.0.0.1', 1, 'localhost', 5173, opened),
}
const REFUSED = 'All configured authentication methods failed'
const NO_PROGRAM = 'has no program that reaches its ports'

/** `open`, `refused` before anything could be asked for, or the code of the error. */
export const askOver = async (port: number, username: string, privateKey: string, way: string): Promise<Answer> => {
  const client = new ssh2.Client()
  const closed = new Promise<void>((resolve) => client.once('close', () => resolve()))
  try {
    const ready = once(client, 'ready')
    client.connect({ host: '127.0.0.1', port, username, privateKey })
    await ready
    return await openedBy(client, way)
  } catch (error) {
    const { message } = error as Error
    if (message === REFUSED) return 'refused'
    if (message.includes(NO_PROGRAM)) return 'WRONG_STATE'
    throw error
  } finally {
    client.end()
    await closed
  }
}

const openedBy = async (client: Client, way: string): Promise<Answer> => {
  const channel = await new Promise<ClientChannel>((resolve, reject) =>
    WAYS[way]!(client, (error, opened) => (error ? reject(error) : resolve(opened))),
  )
  let said = ''
  channel.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  channel.resume()
  await once(channel, 'close')
  return said === '' ? 'open' : said
}
