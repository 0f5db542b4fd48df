/** Very large input. */
import { createHash, randomBytes } from 'node:crypto'
import { MAX_INPUT_BYTES } from '@slipway/protocol'
import { disconnectAll, TerminalClient } from '@slipway/testing'
import { isLongForm } from '@slipway/testing/forms'
import { afterEach, expect, it, vi } from 'vitest'
import { newUser, signInAdmin } from '../support/api.ts'

vi.setConfig({ testTimeout: 240_000 })
afterEach(disconnectAll)

/** In the short form still forty times what may wait for a program. */
const PASTE_BYTES = isLongForm ? 100_000_000 : 20_000_000
const ANSWER_MS = 200_000

it('a paste of many megabytes arrives as it is', async () => {
  const owner = await newUser(await signInAdmin())
  const agent = await owner.agent({ runtime: 'bash' })
  const target = { baseUrl: owner.baseUrl, path: `/agents/${agent.name}/terminal?mode=bash` }
  const terminal = await TerminalClient.open(target, { type: 'auth', token: owner.token, v: 2 })
  // Random bytes of every value. Without a line discipline, none has a meaning.
  const piece = randomBytes(MAX_INPUT_BYTES)
  const hash = createHash('sha256')
  terminal.type(`stty raw -echo; echo rea""dy; head -c ${PASTE_BYTES} | sha256sum; stty sane\r`)
  await terminal.until('the reader', () => terminal.text.includes('ready'))
  for (let sent = 0; sent < PASTE_BYTES; sent += piece.length) {
    piece.writeUInt32LE(sent)
    const next = Buffer.from(piece.subarray(0, PASTE_BYTES - sent))
    hash.update(next)
    await new Promise<void>((resolve) => terminal.socket.send(next, () => resolve()))
  }
  const expected = hash.digest('hex')
  await terminal.until('its hash', () => terminal.text.includes('  -'), ANSWER_MS)
  expect(terminal.text).toContain(expected)
  await terminal.disconnect()
  await owner.ok('DELETE', `/agents/${agent.name}`)
})
