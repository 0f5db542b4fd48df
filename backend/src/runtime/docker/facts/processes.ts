/** Parses the listing of `processes.sh`. The container may be hostile, so lines that do not fit are dropped. */
import type { ContainerProcess } from '../../port.ts'

/** USER_HZ of Linux. /proc counts start times and CPU times in it on all architectures of Docker. */
const TICKS_PER_SECOND = 100
const TICK_MS = 1000 / TICKS_PER_SECOND
const PAGE_BYTES = 4096
/** Most processes of one listing. The profile allows 512. */
const MAX_PROCESSES = 1024
const SESSION = /^SLIPWAY_SESSION=([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

// P <uptime s> <pid> <SigIgn> <state ppid pgrp session ...>; see proc(5) for the fields after the name.
const HEAD = /^P (\d+\.\d+) (\d+) ([0-9a-f]+) \S (\d+) \d+ (\d+) (.*)$/

/** `now` converts the start times, which the kernel counts from its boot. */
export const parseProcesses = (listing: string, now: Date): ContainerProcess[] => {
  const found: ContainerProcess[] = []
  const lines = listing.split('\n')
  for (let at = 0; at < lines.length && found.length < MAX_PROCESSES; at++) {
    const head = HEAD.exec(lines[at] ?? '')
    if (!head) continue
    const [, uptime = '', pid = '', mask = '', ppid = '', session = '', rest = ''] = head
    // `rest` begins at field 7 (tty_nr): CPU times are fields 14 to 17, start time is 22, resident pages 24.
    const fields = rest.split(' ')
    const startTicks = Number(fields[15])
    if (!Number.isSafeInteger(startTicks)) continue
    const command = /^C ([A-Za-z0-9+/=]*)$/.exec(lines[at + 1] ?? '')?.[1] ?? ''
    const marker = SESSION.exec((lines[at + 2] ?? '').slice(2))?.[1] ?? null
    const ageMs = (Number(uptime) - startTicks / TICKS_PER_SECOND) * 1000
    found.push({
      pid: Number(pid),
      ppid: Number(ppid),
      session: Number(session),
      startTicks,
      cpuMs: fields.slice(7, 11).reduce((sum, ticks) => sum + Math.max(0, Number(ticks) || 0), 0) * TICK_MS,
      memoryBytes: Math.max(0, Number(fields[17]) || 0) * PAGE_BYTES,
      ignoresHangup: (Number.parseInt(mask.slice(-1), 16) & 1) === 1,
      command: printable(Buffer.from(command, 'base64').toString('utf8')),
      terminalSession: marker,
      startedAt: new Date(now.getTime() - Math.max(0, ageMs)),
    })
  }
  return found
}

/** Arguments are separated by NULs. Other control characters are removed, too. */
const printable = (raw: string): string =>
  raw
    .replace(/\0+$/, '')
    // eslint-disable-next-line no-control-regex -- they are what is to be replaced
    .replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')
    .trim()
