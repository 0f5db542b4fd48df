import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { Client } from '../api/client.ts'
import { Output } from '../output/output.ts'
import { TAIL_BYTES } from '../output/tail.ts'
import { slipway } from '../slipway.ts'

const EXIT_LINE = { type: 'exit', exitCode: 3, timedOut: false, outOfMemory: false, durationMs: 12 }
const lines = (...values: object[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('')

/** The command’s end and its outputs, with a server that answers so. */
const run = async (options: readonly string[], answer: (response: ServerResponse) => void) => {
  const accepted: unknown[] = []
  const server = createServer((request, response) => {
    accepted.push(request.headers.accept)
    request.resume().once('end', () => answer(response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const outputs = Promise.all([text(stdout), text(stderr)])
  const code = await slipway(['exec', 'atlas', ...options, '--', 'make'], {
    env: {},
    stdin: process.stdin,
    out: new Output(stdout, stderr),
    client: () => Promise.resolve(new Client({ url, token: null })),
    interrupted: new AbortController().signal,
  })
  stdout.end()
  stderr.end()
  return { code, outputs: await outputs, accepted, url }
}
const answering =
  (body: string, status = 200) =>
  (response: ServerResponse): void =>
    void response.writeHead(status).end(body)

test('the outputs come as lines, which no proxy ends for their silence, and are printed at the end', async () => {
  const all = [
    { type: 'stdout', text: 'one\n' },
    { type: 'stderr', text: 'wrong\n' },
    { type: 'alive' },
    { type: 'of a newer server' },
    { type: 'stdout', text: 'größer 😀' },
    EXIT_LINE,
  ]
  const { code, outputs, accepted } = await run([], answering(lines(...all)))
  expect(accepted).toEqual(['application/x-ndjson'])
  expect([code, outputs]).toEqual([3, ['one\ngrößer 😀', 'wrong\n']])

  const { outputs: json } = await run(['--json'], answering(lines(...all)))
  const result =
    '{"exitCode":3,"stdout":"one\\ngrößer 😀","stderr":"wrong\\n","truncated":false,"timedOut":false,"outOfMemory":false,"durationMs":12}\n'
  expect(json).toEqual([result, ''])
})

test('the end of a long output is printed, cut between characters, and a note says so', async () => {
  const pieces = Array.from({ length: 40 }, () => ({ type: 'stdout', text: '😀'.repeat(16_000) }))
  const { code, outputs } = await run([], answering(lines(...pieces, { type: 'stdout', text: '!' }, EXIT_LINE)))
  const [stdout, stderr] = outputs
  expect([code, stderr]).toEqual([3, 'slipway: the beginning of the output is missing, because it was too long\n'])
  expect(stdout === `${'😀'.repeat(TAIL_BYTES / 4 - 1)}!`).toBe(true)
})

test('a failure after the start is the failure that it would have been before', async () => {
  const error = { statusCode: 409, code: 'WRONG_STATE', error: 'Conflict', message: 'The agent was stopped.' }
  const begun = lines({ type: 'stdout', text: 'one\n' }, { type: 'error', ...error })
  const [late, early] = [
    await run(['--json'], answering(begun)),
    await run(['--json'], answering(JSON.stringify(error), 409)),
  ]
  expect([late.code, late.outputs]).toEqual([125, ['', `${JSON.stringify(error)}\n`]])
  expect([early.code, early.outputs]).toEqual([late.code, late.outputs])
})

test('a connection that is lost, or an answer without an end, is a failure and prints no output', async () => {
  const begun = lines({ type: 'stdout', text: 'one\n' })
  const lost = await run([], (response) => void response.write(begun, () => response.destroy()))
  expect([lost.code, lost.outputs]).toEqual([
    125,
    ['', `slipway: Slipway does not answer at ${lost.url} (ECONNRESET).\n`],
  ])
  const cut = await run([], answering(begun))
  expect([cut.code, cut.outputs[0]]).toEqual([125, ''])
})
