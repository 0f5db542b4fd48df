/** Where a followed task appears: its events, and the UI for its questions. The two may share a stream. */
import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { usage } from '../api/errors.ts'
import type { Context } from '../arguments/context.ts'
import type { Output } from '../output/output.ts'
import { inLines, type Texts } from '../output/pieces.ts'
import { jsonReport, type Report, type Sink, textReport } from '../output/report.ts'
import { HeldLines } from '../tty/held-lines.ts'
import { TtyUi } from '../tty/tty-ui.ts'
import { DebugUi } from '../ui/debug.ts'
import { HeadlessUi } from '../ui/headless.ts'
import { LineSplitter, objectIn } from '../ui/lines.ts'
import { RpcUi } from '../ui/rpc.ts'
import type { Ui } from '../ui/ui.ts'
import type { FollowSettings } from './options.ts'

export interface Surface {
  readonly report: Report
  /** Null: questions are left to people elsewhere. */
  readonly ui: Ui | null
  readonly close: () => void
}

/** Standard input as long as it works, and after an error a new stream on the same file descriptor. */
const reopened = (stdin: NodeJS.ReadStream) => (): Readable =>
  stdin.destroyed ? createReadStream('', { fd: 0, autoClose: false }) : stdin

export const openSurface = (
  settings: FollowSettings,
  { stdin, out }: Pick<Context, 'stdin' | 'out'>,
  texts: Texts,
): Surface => {
  const { ui, isJson, uiTimeoutMs } = settings
  const timeout = uiTimeoutMs === undefined ? {} : { timeoutMs: uiTimeoutMs }
  const reportTo = (stream: Sink): Report => (isJson ? jsonReport(stream) : inLines(textReport(stream), texts))
  const hasTerminal = stdin.isTTY && out.stderr.isTTY === true
  switch (ui) {
    case 'rpc': {
      // Standard output is the client's.
      const rpc = new RpcUi({ input: reopened(stdin), output: out.stdout, ...timeout })
      return { report: reportTo(out.stderr), ui: rpc, close: () => rpc.close() }
    }
    case 'debug':
      return debugSurface(new DebugUi({ output: out.stdout, ...timeout }), jsonReport(out.stdout), stdin)
    case 'headless':
      return { report: reportTo(out.stdout), ui: new HeadlessUi(loggerTo(out)), close: () => undefined }
    case 'tty':
    case undefined: {
      if (!hasTerminal && ui === 'tty') throw usage('--ui tty needs a terminal.')
      if (!hasTerminal) return { report: reportTo(out.stdout), ui: null, close: () => undefined }
      const held = new HeldLines()
      const tty = new TtyUi({ input: stdin, output: out.stderr, held })
      return { report: reportTo(held.to(out.stdout)), ui: tty, close: () => undefined }
    }
  }
}

/** Reads the responses for the UI, which shares its stream with the events. */
const debugSurface = (ui: DebugUi, report: Report, stdin: Readable): Surface => {
  const lines = new LineSplitter()
  const receive = (piece: Buffer): void => {
    for (const line of lines.push(piece)) ui.handleResponse(objectIn(line))
  }
  stdin.on('data', receive)
  return {
    report,
    ui,
    close: () => {
      stdin.off('data', receive).pause()
      ui.close()
    },
  }
}

const loggerTo = (out: Output) => ({
  debug: (line: string) => out.note(`debug: ${line}`),
  info: (line: string) => out.note(`info: ${line}`),
  warning: (line: string) => out.note(`warning: ${line}`),
  error: (line: string) => out.note(`error: ${line}`),
})
