/** Measures a large `cat`: through the terminal, through the engine's raw socket, and from the kernel's PTY alone. */
import type { TerminalTarget } from '../client/terminal.ts'
import { runInside } from '../harness/engine.ts'
import { measureRates, rateRow } from '../harness/rates.ts'
import type { Findings } from '../harness/report.ts'
import type { Stage } from '../stage.ts'

export const BYTES = 64 * 1024 * 1024
export const FILE = '/home/developer/bench.txt'
const TARGET = 0.8

/**
 * Makes a file of printable lines of 76 characters. Answers the number of bytes that a terminal makes of it, with two
 * for each line end.
 */
export const makeFile = async (containerId: string): Promise<number> => {
  const script = `head -c ${BYTES} /dev/urandom | base64 | head -c ${BYTES} >${FILE} && wc -l <${FILE}`
  return BYTES + Number(await runInside(containerId, ['sh', '-c', script]))
}

/** The kernel's share: a program in the container that owns the PTY and discards what it reads. */
const READER = `
import os, pty, sys, time
started = time.monotonic()
pid, fd = pty.fork()
if pid == 0:
    os.execvp("cat", ["cat", sys.argv[1]])
count = 0
while True:
    try:
        data = os.read(fd, 65536)
    except OSError:
        break
    if not data:
        break
    count += len(data)
print(count, time.monotonic() - started)
`

/** Bytes a second of the file, read from the PTY inside of the container. */
export const readInside = async (containerId: string, expected: number | null = null): Promise<number> => {
  const [bytes, seconds] = (await runInside(containerId, ['python3', '-c', READER, FILE])).split(' ').map(Number)
  if (expected !== null && bytes !== expected) throw new Error(`${bytes} bytes came instead of ${expected}`)
  return BYTES / (seconds ?? Number.NaN)
}

export const throughput = async ({ client, terminal, containerId }: Stage): Promise<Findings> => {
  const expected = await makeFile(containerId)
  const check = (bytes: number): void => {
    if (bytes !== expected) throw new Error(`${bytes} bytes came instead of ${expected}`)
  }
  const through = async (target: TerminalTarget | { containerId: string }): Promise<number> => {
    const { bytes, seconds } = await client.call('transfer', target, FILE)
    check(bytes)
    return BYTES / seconds
  }
  const rates = await measureRates({
    pty: () => readInside(containerId, expected),
    exec: () => through({ containerId }),
    version2: () => through(terminal),
    version1: () => through({ ...terminal, version: 1 }),
  })
  const exec = { theirs: rates.exec, limit: 'raw TTY exec', target: TARGET }
  return {
    rows: [
      rateRow('cat of 64 MiB, protocol 2', rates.version2, exec),
      rateRow('cat of 64 MiB, protocol 1', rates.version1, exec),
      rateRow('raw TTY exec itself', rates.exec, { theirs: rates.pty, limit: 'PTY in the container' }),
    ],
    raw: { unit: 'bytes of the file per second', bytes: BYTES, ...rates },
  }
}
