/** Stores the raw numbers of a run in a file, with a description of the machine. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { cpus, loadavg, release, totalmem } from 'node:os'
import { join, relative } from 'node:path'
import { docker } from './engine.ts'

/** The kernel's unit of CPU time (USER_HZ), the same on every machine that runs Node. */
const TICKS_PER_SECOND = 100

const ROOT = join(import.meta.dirname, '../../..')

/**
 * From the first line of `/proc/stat`: the time of all processors since the start, and the time that a hypervisor gave
 * to other machines.
 */
const processorTime = async (): Promise<{ all: number; stolen: number }> => {
  const [line = ''] = (await readFile('/proc/stat', 'utf8')).split('\n')
  const times = line.split(/\s+/).slice(1, 9).map(Number)
  return { all: times.reduce((sum, time) => sum + time, 0), stolen: times[7] ?? 0 }
}

let began = { all: 0, stolen: 0 }

/**
 * Describes what the numbers depend on, and nothing that identifies the machine or its place. Call it before the
 * measurements.
 */
export const describeMachine = async () => {
  began = await processorTime()
  const { Version } = await docker.version()
  return {
    cpus: cpus().length,
    cpu: cpus()[0]?.model ?? 'unknown',
    memoryGb: Math.round(totalmem() / 1e9),
    kernel: release(),
    node: process.version,
    docker: Version,
    loadAtStart: loadavg()[0],
  }
}

/**
 * Answers the file's path in the project. There is a folder for each day, and the name is the time after the prefix.
 */
export const keepRaw = async (run: Record<string, unknown>, prefix = ''): Promise<string> => {
  const now = new Date().toISOString()
  const folder = join(ROOT, 'bench', 'raw', now.slice(0, 10))
  const file = join(folder, `${prefix}${now.slice(0, 19).replaceAll(':', '')}.json`)
  await mkdir(folder, { recursive: true })
  // Each list of numbers is on one line. Five hundred lines of samples are hard to read.
  const ended = await processorTime()
  const stolenShare = (ended.stolen - began.stolen) / (ended.all - began.all)
  const text = JSON.stringify({ at: now, ...run, loadAtEnd: loadavg()[0], stolenShare }, null, 2).replace(
    /\[\s+(-?[\d.]+(?:,\s+-?[\d.]+)*)\s+\]/g,
    (_whole, numbers: string) => `[${numbers.split(/,\s+/).map(shorten).join(', ')}]`,
  )
  await writeFile(file, `${text}\n`)
  return relative(ROOT, file)
}

/** Six digits are more than the precision of any figure. */
const shorten = (number: string): string => String(Number(Number(number).toPrecision(6)))

/** Resident memory of a process in bytes, by the kernel's count. */
export const residentBytes = async (pid: number): Promise<number> => {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8')
  const kilobytes = /^Rss:\s+(\d+) kB$/m.exec(rollup)?.[1]
  if (kilobytes === undefined) throw new Error('the kernel does not tell the memory of a process')
  return Number(kilobytes) * 1024
}

/** Seconds of user and system time that a process has used, with all of its threads. */
export const processorSeconds = async (pid: number): Promise<number> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  // The name in parentheses may contain anything, so the fields are counted after it. utime and stime are fields 14 and
  // 15 (proc(5)).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}
