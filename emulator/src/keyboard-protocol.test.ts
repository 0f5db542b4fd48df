import { Terminal } from '@xterm/headless'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { KeyboardProtocol, STACK_MAX } from './keyboard-protocol.ts'

let terminal: Terminal
let protocol: KeyboardProtocol
const print = (text: string) => new Promise<void>((resolve) => terminal.write(text, resolve))

beforeEach(() => {
  terminal = new Terminal({ allowProposedApi: true })
  protocol = new KeyboardProtocol(terminal.parser, () => terminal.buffer.active.type)
})
afterEach(() => terminal.dispose())

describe('the keyboard protocol', () => {
  it('is off until a program demands it, and again when it takes that back', async () => {
    expect(protocol.disambiguates).toBe(false)
    await print('\x1b[>7u')
    expect(protocol.disambiguates).toBe(true)
    await print('\x1b[>0u')
    expect(protocol.disambiguates).toBe(false)
    await print('\x1b[<u')
    expect(protocol.disambiguates).toBe(true)
    await print('\x1b[<u')
    expect(protocol.disambiguates).toBe(false)
  })

  it('can be set, added to and taken from', async () => {
    await print('\x1b[=1u')
    expect(protocol.disambiguates).toBe(true)
    await print('\x1b[=2;2u')
    expect(protocol.disambiguates).toBe(true)
    await print('\x1b[=1;3u')
    expect(protocol.disambiguates).toBe(false)
  })

  it('is another one on the alternate screen', async () => {
    await print('\x1b[?1049h\x1b[>1u')
    expect(protocol.disambiguates).toBe(true)
    await print('\x1b[?1049l')
    expect(protocol.disambiguates).toBe(false)
  })

  it('ends with a full reset, and with the program', async () => {
    await print('\x1b[>1u\x1bc')
    expect(protocol.disambiguates).toBe(false)
    await print('\x1b[>1u')
    protocol.reset()
    expect(protocol.disambiguates).toBe(false)
  })

  it('takes no more than it says, and survives more pops than pushes', async () => {
    await print('\x1b[>0u'.repeat(3) + '\x1b[>1u'.repeat(STACK_MAX))
    await print(`\x1b[<${STACK_MAX - 1}u`)
    expect(protocol.disambiguates).toBe(true)
    await print('\x1b[<1u\x1b[<999u\x1b[<u')
    expect(protocol.disambiguates).toBe(false)
  })

  it('does not answer a program that asks for it, so that the program does not expect all of it', async () => {
    const answers: string[] = []
    terminal.onData((text) => answers.push(text))
    await print('\x1b[?u')
    expect(answers).toEqual([])
  })
})
