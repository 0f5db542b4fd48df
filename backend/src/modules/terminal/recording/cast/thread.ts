/** The thread that writes recordings. So a slow disk slows only the recorded programs. */
import { parentPort } from 'node:worker_threads'
import { CastFile, LossError } from './cast-file.ts'
import { BLOCK_BYTES, type Extent, type FromWriter, type OpenCast, type ToWriter } from './messages.ts'

interface OpenFile {
  readonly file: CastFile
  input: number
}

const files = new Map<string, OpenFile>()
const tell = (message: FromWriter, given: ArrayBuffer[] = []): void => parentPort?.postMessage(message, given)
const extentOf = ({ length, atMs }: CastFile): Extent => ({ bytes: length, atMs })

const open = ({ id, path, secrets, limits, begin }: OpenCast): void => {
  const target = { path, secrets, limits }
  const file = begin ? CastFile.create(target, begin.header, begin.offset) : CastFile.resume(target)
  files.set(id, { file, input: 0 })
}

const close = (id: string, { file }: OpenFile, isOver: boolean): void => {
  if (isOver) file.finish()
  files.delete(id)
  file.close()
  tell({ type: 'closed', id, ...extentOf(file) })
}

/** Handles a message to an open file. */
const handle = (message: ToWriter, open: OpenFile): void => {
  const { file } = open
  switch (message.type) {
    case 'output':
      file.output(message.bytes, message.offset, message.atMs)
      break
    case 'input':
      file.input(message.bytes, message.atMs)
      open.input += message.bytes.length
      break
    case 'event':
      file.event(message.code, message.data, message.atMs)
      break
    case 'secrets':
      return file.learn(message.secrets)
    case 'close':
      return close(message.id, open, message.isOver)
  }
  const memory = message.type === 'output' ? message.bytes.buffer : null
  const spare = memory?.byteLength === BLOCK_BYTES ? memory : null
  const taken = { type: 'taken', id: message.id, offset: file.taken, input: open.input, spare } as const
  tell({ ...taken, ...extentOf(file) }, spare ? [spare] : [])
}

const lose = (id: string, error: unknown): void => {
  const lost = error instanceof LossError ? error : new LossError('failed', { cause: error })
  const file = files.get(id)?.file
  file?.lose(lost)
  file?.close()
  files.delete(id)
  const cause = lost.cause instanceof Error ? lost.cause.message : null
  tell({ type: 'lost', id, loss: lost.loss, cause, bytes: file?.length ?? 0, atMs: file?.atMs ?? 0 })
}

parentPort?.on('message', (message: ToWriter) => {
  const { id } = message
  try {
    if (message.type === 'open') return open(message)
    if (message.type === 'close_left')
      return tell({ type: 'closed', id, ...CastFile.closeLeft(message.path, message.mark) })
    const file = files.get(id)
    // Without a file the recording is lost, and so are the messages that were on their way.
    if (file) handle(message, file)
  } catch (error) {
    lose(id, error)
  }
})
