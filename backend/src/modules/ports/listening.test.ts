import { describe, expect, it } from 'vitest'
import { listeningIn } from './listening.ts'

const vite = { port: 5173, address: '127.0.0.1', pid: 12, startedAt: 1_700_000_000, command: 'node vite' }
const read = (value: unknown) => listeningIn(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)))

describe('what listens in an agent', () => {
  it('is one entry for each port, in their order', () => {
    const process = { pid: 12, command: 'node vite', startedAt: '2023-11-14T22:13:20.000Z' }
    expect(read([vite, { ...vite, port: 80 }, { ...vite, address: '::1' }])).toEqual([
      { port: 80, addresses: ['127.0.0.1'], process },
      { port: 5173, addresses: ['127.0.0.1', '::1'], process },
    ])
  })

  it('has no process where the agent may not see it', () => {
    expect(read([{ ...vite, pid: 0, startedAt: 0, command: '' }])[0]?.process).toBeNull()
  })

  it.each([
    ['no JSON', '['],
    ['no list', {}],
    ['no port', [{ ...vite, port: 0 }]],
    ['a port that is none', [{ ...vite, port: 65_536 }]],
    ['an address that is none', [{ ...vite, address: '<b>' }]],
    ['a time that is none', [{ ...vite, startedAt: 1e300 }]],
    ['a command that is no text', [{ ...vite, command: {} }]],
    ['something else', [null, 1, 'x', []]],
  ])('is nothing if the container says %s', (_what, value) => expect(read(value)).toEqual([]))

  it('is bounded, and shows no control character of a command', () => {
    const many = Array.from({ length: 200 }, (_, n) => ({ ...vite, port: n + 1 }))
    expect(read(many)).toHaveLength(64)
    const command = `\u001b[31mred\u202e${'x'.repeat(500)}`
    expect(read([{ ...vite, command }])[0]?.process?.command).toBe(`[31mred${'x'.repeat(153)}`)
  })
})
