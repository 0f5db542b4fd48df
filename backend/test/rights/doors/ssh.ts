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

/**
 * The answers to these ways over one connection: `open`, or the code of the error. All are `refused` where the key does not open
 * the connection.
 */
export const askOver = async (
  { port, username, privateKey }: { readonly port: number; readonly username: string; readonly privateKey: string },
  ways: readonly string[],
): Promise<Record<string, Answer>> => {
  const client = new ssh2.Client()
  const closed = new Promise<void>((resolve) => client.once('close', () => resolve()))
  const answers: Record<string, Answer> = {}
  try {
    const ready = once(client, 'ready')
    client.connect({ host: '127.0.0.1', port, username, privateKey })
    await ready
    for (const way of ways) answers[way] = await openedBy(client, way)
  } catch (error) {
    if ((error as Error).message !== REFUSED) throw error
    for (const way of ways) answers[way] = 'refused'
  } finally {
    client.end()
    await closed
  }
  return answers
}

const openedBy = async (client: Client, way: string): Promise<Answer> => {
  const opened = new Promise<ClientChannel>((resolve, reject) =>
    WAYS[way]!(client, (error, channel) => (error ? reject(error) : resolve(channel))),
  )
  try {
    const channel = await opened
    let said = ''
    channel.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
    channel.resume()
    await once(channel, 'close')
    return said === '' ? 'open' : said
  } catch (error) {
    if ((error as Error).message.includes(NO_PROGRAM)) return 'WRONG_STATE'
    throw error
  }
}
