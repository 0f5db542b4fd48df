import { describe, expect, it } from 'vitest'
import { toRuntimeError } from '../errors.ts'
import { parseProcesses } from './processes.ts'
import { parseFigures, toUsage, wasMeasured } from './usage.ts'

const now = new Date('2030-01-01T00:00:00Z')
const head = (pid: number, start = 5000) =>
  `P 100.00 ${pid} 0000000000000001 S 1 ${pid} ${pid} 0 -1 4194304 1 0 0 0 1 2 3 4 20 0 1 0 ${start} 1000 25 0`
const command = (text: string) => `C ${Buffer.from(text).toString('base64')}`

describe('the listing of processes', () => {
  it('is read with ages, CPU times, sizes and marks', () => {
    const mark = '0192f0c1-0000-7000-8000-000000000001'
    const listing = [head(7), command('sleep\u00001\u0000'), `S SLIPWAY_SESSION=${mark}`].join('\n')
    expect(parseProcesses(listing, now)).toEqual([
      {
        pid: 7,
        ppid: 1,
        session: 7,
        startTicks: 5000,
        cpuMs: 100,
        memoryBytes: 25 * 4096,
        ignoresHangup: true,
        command: 'sleep 1',
        terminalSession: mark,
        startedAt: new Date(now.getTime() - 50_000),
      },
    ])
  })

  it.each(['', 'P', 'P 1 2', head(7).replace('5000', 'x'), 'C aGk=\nS x', '\u0000\n\u001b[2J', 'P 1.0 7 zz S 1 1 1'])(
    'leaves out what does not fit: %j',
    (listing) => {
      expect(parseProcesses(listing, now)).toEqual([])
    },
  )

  it('is bounded', () => {
    const listing = Array.from({ length: 5000 }, (_, pid) => head(pid + 1)).join('\n')
    expect(parseProcesses(listing, now)).toHaveLength(1024)
  })
})

describe('figures from inside of a container', () => {
  it('are read, of several networks and disks together', () => {
    const text =
      'processes 5\nmemory 1000\nlimit 5000\ncache 200\nreceived 7\nsent 8\nreceived 1\nsent 1\nread 3\nwritten 4\nread 1\ncpu 6000000\ntime 1893456000123456789\n'
    expect(parseFigures(text)).toEqual({
      at: expect.closeTo(1_893_456_000_123.4568, 2),
      cpuMs: 6,
      memoryBytes: 800,
      memoryLimitBytes: 5000,
      networkRxBytes: 8,
      networkTxBytes: 9,
      diskReadBytes: 4,
      diskWriteBytes: 4,
      processes: 4,
    })
  })

  it('are zero where there are none, and never less', () => {
    for (const text of ['', 'nonsense', 'limit max\ncache 5\nmemory 1\n'])
      expect(new Set(Object.values(parseFigures(text)))).toEqual(new Set([0]))
  })

  it('are the same from an engine that reads control groups, of version 1 or 2', () => {
    const common = {
      read: '2030-01-01T00:00:00.5Z',
      cpu_stats: { cpu_usage: { total_usage: 6_000_000 } },
      networks: { eth0: { rx_bytes: 7, tx_bytes: 8 }, eth1: { rx_bytes: 1, tx_bytes: 1 } },
      pids_stats: { current: 4 },
    }
    const disk = (read: string, write: string) => ({
      io_service_bytes_recursive: [
        { op: read, value: 3 },
        { op: write, value: 4 },
        { op: read, value: 1 },
        { op: 'Total', value: 8 },
      ],
    })
    const one = toUsage({
      ...common,
      memory_stats: { usage: 1000, limit: 5000, stats: { total_inactive_file: 200 } },
      blkio_stats: disk('Read', 'Write'),
    })
    const two = toUsage({
      ...common,
      memory_stats: { usage: 1000, limit: 5000, stats: { inactive_file: 200 } },
      blkio_stats: disk('read', 'write'),
    })
    expect(one).toEqual(two)
    expect(one).toEqual({
      at: Date.UTC(2030, 0, 1) + 500,
      cpuMs: 6,
      memoryBytes: 800,
      memoryLimitBytes: 5000,
      networkRxBytes: 8,
      networkTxBytes: 9,
      diskReadBytes: 4,
      diskWriteBytes: 4,
      processes: 4,
    })
    expect(toUsage({ read: common.read, blkio_stats: { io_service_bytes_recursive: null } })).toMatchObject({
      cpuMs: 0,
    })
  })

  it('are wanted where the engine says that it measured never', () => {
    expect([wasMeasured({ read: '0001-01-01T00:00:00Z' }), wasMeasured({ read: '2030-01-01T00:00:00Z' })]).toEqual([
      false,
      true,
    ])
  })
})

describe('what the engine says when it fails', () => {
  it.each([
    [{ statusCode: 404, json: { message: 'No such image: x' } }, 'image_missing'],
    [{ statusCode: 404, json: { message: 'No such container: x' } }, 'not_found'],
    [
      { statusCode: 409, json: { message: 'Conflict. The container name "/x" is already in use by container "y"' } },
      'name_taken',
    ],
    [{ statusCode: 409, json: { message: 'Container x is not running' } }, 'not_running'],
    [{ statusCode: 409, json: { message: 'Container x is paused, unpause the container before exec' } }, 'not_running'],
    [{ statusCode: 400, json: { message: 'Minimum memory limit allowed is 6MB' } }, 'no_memory'],
    [{ statusCode: 500, json: { message: 'fork/exec runc: cannot allocate memory' } }, 'no_memory'],
    [{ statusCode: 500, json: { message: 'something' } }, 'engine_error'],
    [{ code: 'ECONNREFUSED', message: 'connect' }, 'engine_unavailable'],
    [{ code: 'ENOENT', message: 'connect' }, 'engine_unavailable'],
    [{ message: 'socket hang up' }, 'engine_unavailable'],
    [new TypeError('ours'), 'engine_error'],
    ['text', 'engine_error'],
  ])('%# has a code', (thrown, code) => {
    expect(toRuntimeError(thrown)).toMatchObject({ name: 'RuntimeError', code, cause: thrown })
  })
})
