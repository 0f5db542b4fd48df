import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { BLOCK_BYTES, type FromWriter } from './messages.ts'
import { CastWriter } from './writer.ts'

let folder: string
let writer: CastWriter

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-writer-'))
  writer = new CastWriter()
})
afterEach(async () => {
  await writer.stop()
  rmSync(folder, { recursive: true })
})

/** Records a block that begins with `text`, whose rest does not matter. Returns the file's content. */
const record = async (id: string, text: string): Promise<string> => {
  const path = join(folder, `${id}.cast`)
  const { promise, resolve } = Promise.withResolvers<FromWriter>()
  writer.listen(id, (message) => {
    if (message.type !== 'taken') resolve(message)
  })
  const header = { cols: 80, rows: 24, timestamp: 0, title: 'a' }
  const limits = { maxBytes: 1_000_000, minFreeBytes: 0 }
  writer.send({ type: 'open', id, path, secrets: [], limits, begin: { header, offset: 0 } })
  const block = writer.block()
  const bytes = block.subarray(0, block.write(text))
  writer.send({ type: 'output', id, bytes, offset: 0, atMs: 0 }, [bytes.buffer])
  writer.send({ type: 'close', id, isOver: true })
  expect(await promise).toMatchObject({ type: 'closed' })
  return readFileSync(path, 'utf8')
}

it('uses the memory of what was written again, and writes nothing of what was in it before', async () => {
  expect(await record('first', 'a long line of one')).toContain('"a long line of one"')
  const spare = writer.block()
  expect([spare.length, spare.toString('utf8', 0, 18)]).toEqual([BLOCK_BYTES, 'a long line of one'])
  await record('second', 'a long line of another')
  const third = await record('third', 'short')
  expect(third).toContain('"short"')
  expect(third).not.toContain('line')
})
