import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { events as eventsOf, told } from '../../../../../test/support/terminals/casts.ts'
import { CastFile, LossError } from './cast-file.ts'

const HEADER = { cols: 80, rows: 24, timestamp: 1_800_000_000, title: 'Bash' }
const LIMITS = { maxBytes: 1_000_000, minFreeBytes: 0 }
let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-cast-'))
  path = join(folder, 'a.cast')
})
afterEach(() => rmSync(folder, { recursive: true }))

const target = (limits = LIMITS, secrets: string[] = []) => ({ path, secrets, limits })
const create = (...args: Parameters<typeof target>) => CastFile.create(target(...args), HEADER, 0)
const text = (): string => readFileSync(path, 'utf8')
const events = () => eventsOf(text())
const output = (): string => told(text(), 'o')
const lossOf = (write: () => void): string => {
  try {
    write()
  } catch (error) {
    if (error instanceof LossError) return error.loss
    throw error
  }
  return 'nothing was lost'
}

describe('a recording', () => {
  it('is an asciicast of version 3, whose every line can be read', () => {
    const file = create()
    file.event('m', 'Bash', 0)
    file.output(Buffer.from('\u001b[1mé"\\\u0007\r\n\u0000\u007f'), 0, 12)
    file.event('r', '100x30', 1012)
    file.event('x', '0', 1500)
    file.close()
    expect(JSON.parse(text().split('\n')[0]!)).toEqual({
      version: 3,
      term: { cols: 80, rows: 24, type: 'xterm-256color' },
      timestamp: HEADER.timestamp,
      title: 'Bash',
    })
    expect(events()).toEqual([
      [0, 'm', 'Bash'],
      [0.012, 'o', '\u001b[1mé"\\\u0007\r\n\u0000\u007f'],
      [1, 'r', '100x30'],
      [0.488, 'x', '0'],
    ])
  })

  it('shows bytes that are no text as such, and stays text', () => {
    const file = create()
    file.output(Buffer.from([0x61, 0xff, 0xc3, 0x28]), 0, 0)
    file.close()
    expect(output()).toBe('a��(')
  })

  it('does not go back in time', () => {
    const file = create()
    file.output(Buffer.from('a'), 0, 500)
    file.output(Buffer.from('b'), 1, 400)
    file.output(Buffer.from('c'), 2, 600)
    file.close()
    expect(events().map(([since]) => since)).toEqual([0.5, 0, 0.1])
  })

  it('is readable by the server alone', () => {
    create().close()
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('masks secrets that come in two pieces, and ends with what was held back', () => {
    const file = create(LIMITS, ['sk-ant-0123456789'])
    file.output(Buffer.from('key sk-ant-01'), 0, 0)
    expect(file.taken).toBe(4)
    file.output(Buffer.from('23456789 and sk-'), 13, 5)
    file.input(Buffer.from('sk-ant-0123456789'), 6)
    file.finish()
    file.close()
    expect(output()).toBe('key *** and sk-')
    expect(text()).not.toContain('0123456789')
  })
})

describe('a recording that another server left', () => {
  it('goes on where it was, without a gap and without a repetition, wherever its end was torn', () => {
    const file = create()
    file.output(Buffer.from('one '), 0, 10)
    const whole = statSync(path).size
    file.output(Buffer.from('two é '), 4, 20)
    file.close()
    const all = readFileSync(path)
    for (let length = whole; length <= all.length; length += 1) {
      writeFileSync(path, all.subarray(0, length))
      const next = CastFile.resume(target())
      // The holder still has more than is missing.
      next.output(Buffer.from('e two é three'), 2, 30)
      next.close()
      expect(output()).toBe('one two é three')
    }
  })

  it('goes on with the secrets that began before', () => {
    const secrets = ['sk-ant-0123456789']
    const file = create(LIMITS, secrets)
    file.output(Buffer.from('key sk-ant-'), 0, 0)
    file.close()
    const next = CastFile.resume(target(LIMITS, secrets))
    next.output(Buffer.from('key sk-ant-0123456789!'), 0, 5)
    next.close()
    expect(output()).toBe('key ***!')
  })

  it('says so where some of the output is gone', () => {
    const file = create()
    file.output(Buffer.from('one'), 0, 0)
    file.close()
    const next = CastFile.resume(target())
    next.output(Buffer.from('later'), 100, 50)
    next.close()
    expect(events().map(([, code, data]) => [code, data])).toEqual([
      ['o', 'one'],
      ['m', 'Some output is missing here'],
      ['o', 'later'],
    ])
  })

  it('is closed after its last whole line, with a mark, when no server continues it', () => {
    const file = create()
    file.output(Buffer.from('kept'), 0, 40)
    file.close()
    const { size } = statSync(path)
    appendFileSync(path, '[0.001,"o","also kept"]\n[0.001,"o","to')
    const { bytes, atMs } = CastFile.closeLeft(path, 'It was cut')
    expect(output()).toBe('keptalso kept')
    expect(events().at(-1)).toEqual([0, 'm', 'It was cut'])
    expect(bytes).toBe(statSync(path).size)
    expect(bytes).toBeGreaterThan(size)
    expect(atMs).toBe(40)
  })

  it('is given up when its file says nothing', () => {
    writeFileSync(path, 'torn')
    expect(lossOf(() => CastFile.resume(target()))).toBe('failed')
    truncateSync(path, 0)
    expect(lossOf(() => CastFile.resume(target()))).toBe('failed')
    rmSync(path)
    expect(lossOf(() => CastFile.resume(target()))).toBe('failed')
    writeFileSync(path, '')
  })
})

describe('a recording ends', () => {
  it('with a mark when it reaches the maximum size', () => {
    const file = create({ ...LIMITS, maxBytes: 2000 })
    file.output(Buffer.from('x'.repeat(1000)), 0, 0)
    const loss = lossOf(() => file.output(Buffer.from('y'.repeat(1000)), 1000, 5))
    expect(loss).toBe('too_large')
    file.lose(new LossError('too_large'))
    file.close()
    expect(output()).toBe('x'.repeat(1000))
    expect(events().at(-1)).toEqual([0, 'm', 'The recording ends here: it reached the maximum size'])
  })

  it('while there is still room on the disk for the rest of the server', () => {
    expect(lossOf(() => create({ ...LIMITS, minFreeBytes: Number.MAX_SAFE_INTEGER }))).toBe('disk_full')
  })

  // Only root can mount a small disk.
  it.skipIf(process.getuid?.() !== 0)('with a mark when the disk is full, and everything before it can be read', () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder])
    try {
      const file = create()
      let [told, loss] = [0, 'nothing was lost']
      for (; loss === 'nothing was lost'; told += 1) {
        const offset = told * 5000
        loss = lossOf(() => file.output(Buffer.from(String(told % 10).repeat(5000)), offset, told))
      }
      expect(loss).toBe('disk_full')
      file.lose(new LossError('disk_full'))
      file.close()
      expect(output().length).toBe((told - 1) * 5000)
      expect(events().at(-1)).toEqual([0, 'm', 'The recording ends here: the disk was full'])
      expect(text().endsWith('\n')).toBe(true)
    } finally {
      execFileSync('umount', [folder])
    }
  })
})
