/** `slipway cp` */
import { createReadStream } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { basename, join, posix } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Client } from '../api/client.ts'
import { EXIT, SlipwayError, usage } from '../api/errors.ts'
import { command } from '../arguments/command.ts'

/** `atlas:project/data.csv`. A path of this machine has a slash before its first colon, or none. */
const REMOTE = /^([a-z0-9][a-z0-9-]*):(.*)$/s

interface Remote {
  readonly agent: string
  readonly path: string
}
const remoteIn = (text: string): Remote | null => {
  const [, agent, path] = REMOTE.exec(text) ?? []
  return agent === undefined || path === undefined ? null : { agent, path }
}
const pathOf = ({ agent }: Remote): string => `/agents/${encodeURIComponent(agent)}/files`

export const cp = command({
  name: 'cp',
  about:
    'Copy a file to or from an agent, whose paths look like AGENT:project/data.csv; a folder comes as a tar archive',
  positionals: [
    { name: 'FROM', kind: 'text' },
    { name: 'TO', kind: 'text' },
  ],
  options: { parents: { type: 'boolean', short: 'p', about: 'Create the folders that are missing in the agent' } },
  run: async ({ arguments: [from = '', to = ''], options }, { client, interrupted }) => {
    const [source, target] = [remoteIn(from), remoteIn(to)]
    if ((source === null) === (target === null)) throw usage('One of the two paths is in an agent: AGENT:PATH')
    const server = await client()
    if (source !== null) await download(server, source, to, interrupted)
    else if (target !== null)
      await upload(server, from, target, { parents: options.parents === true, signal: interrupted })
    return EXIT.done
  },
})

interface Uploading {
  readonly parents: boolean
  readonly signal: AbortSignal
}

/** A target that ends in a slash, or is empty, is a folder. */
const upload = async (client: Client, from: string, target: Remote, { parents, signal }: Uploading): Promise<void> => {
  const found = await stat(from).catch((cause: unknown) => {
    throw usage(`${from} cannot be read: ${messageOf(cause)}`)
  })
  if (!found.isFile()) throw usage(`${from} is no file. Pack a folder into an archive first.`)
  const isFolder = target.path === '' || target.path.endsWith('/')
  const path = isFolder ? posix.join(target.path, basename(from)) : target.path
  const bytes = createReadStream(from, { end: Math.max(0, found.size - 1) })
  const query = { path, ...(parents ? { parents } : {}) }
  await client.upload(pathOf(target), { bytes, size: found.size }, { query, signal })
}

/** The file appears complete or not at all. */
const download = async (client: Client, source: Remote, to: string, signal: AbortSignal): Promise<void> => {
  const query = { path: source.path === '' ? '~/' : source.path }
  const answer = await client.stream('GET', pathOf(source), { query, signal })
  const isArchive = answer.headers['content-type']?.startsWith('application/x-tar') === true
  const name = `${posix.basename(source.path) || source.agent}${isArchive ? '.tar' : ''}`
  const isFolder = (await stat(to).catch(() => null))?.isDirectory() === true
  const target = isFolder ? join(to, name) : to
  const draft = `${target}.slipway-${process.pid}`
  const file = await open(draft, 'wx').catch((cause: unknown) => {
    answer.destroy()
    throw usage(`${target} cannot be written: ${messageOf(cause)}`)
  })
  try {
    await pipeline(answer, file.createWriteStream())
    if (!isComplete(answer, await sizeOf(draft))) throw new Error('it ended too early')
    await rename(draft, target)
  } catch (cause) {
    await rm(draft, { force: true })
    throw new SlipwayError('UNREACHABLE', `${source.path} was not copied: ${messageOf(cause)}`, { cause })
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const sizeOf = async (file: string): Promise<number> => (await stat(file)).size

const isComplete = ({ complete, headers }: IncomingMessage, size: number): boolean => {
  const announced = headers['content-length']
  return complete && (announced === undefined || Number(announced) === size)
}
