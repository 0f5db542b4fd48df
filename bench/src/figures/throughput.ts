/** A large `cat`: through the terminal, through the engine's raw socket, and out of the kernel's PTY alone. */
import type { TerminalTarget } from '../client/terminal.ts'
import { runInside } from '../harness/engine.ts'
import { type Findings, megabytes, type Row } from '../harness/report.ts'
import { inTurns, median, pairedMedian, ROUNDS } from '../harness/statistics.ts'
import type { Stage } from '../stage.ts'

export const BYTES = 64 * 1024 * 1024
export const FILE = '/home/developer/bench.txt'
const TARGET = 0.8

/** Printable lines of 76 characters; gives the number of bytes that a terminal makes of them, each line end being two. */
export const makeFile = async (containerId: string): Promise<number> => {
  const script = `head -c ${BYTES} /dev/urandom | base64 | head -c ${BYTES} >${FILE} && wc -l <${FILE}`
  return BYTES + Number(await runInside(containerId, ['sh', '-c', script]))
}

/** The kernel's share: a program in the container that holds the PTY and throws away what it reads. */
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

/** Bytes of the file a second, read from the PTY inside of the container. */
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
  const rates = { version2: [] as number[], version1: [] as number[], exec: [] as number[], pty: [] as number[] }
  const ways = [
    async () => void rates.pty.push(await readInside(containerId, expected)),
    async () => void rates.exec.push(await through({ containerId })),
    async () => void rates.version2.push(await through(terminal)),
    async () => void rates.version1.push(await through({ ...terminal, version: 1 })),
  ]
  // One round that does not count: the file is in memory and the programs are compiled after it.
  for (let round = -1; round < ROUNDS; round++) {
    if (round === 0) for (const samples of Object.values(rates)) samples.length = 0
    await inTurns(ways, round + 1, (way) => way())
  }
  const row = (figure: string, ours: number[], theirs: number[], name: string, target: number | null): Row => {
    const ratio = pairedMedian(ours, theirs, (our, their) => our / their)
    return {
      figure,
      median: megabytes(median(ours)),
      limit: `${megabytes(median(theirs))} ${name}`,
      ratio: ratio.toFixed(2),
      target: target === null ? '-' : `≥ ${target}`,
      met: target === null ? null : ratio >= target,
    }
  }
  return {
    rows: [
      row('cat of 64 MiB, protocol 2', rates.version2, rates.exec, 'raw TTY exec', TARGET),
      row('cat of 64 MiB, protocol 1', rates.version1, rates.exec, 'raw TTY exec', TARGET),
      row('raw TTY exec itself', rates.exec, rates.pty, 'PTY in the container', null),
    ],
    raw: { unit: 'bytes of the file per second', bytes: BYTES, ...rates },
  }
}
