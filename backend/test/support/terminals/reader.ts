/** A viewer of a session, in the test's process. */
import type { Participant, RecordedParts } from '@slipway/protocol'
import type { Ending } from '../../../src/modules/sessions/ending.ts'
import type { Snapshot } from '../../../src/modules/terminal/screen/snapshot.ts'
import type { Size } from '@slipway/emulator'
import type { Viewer } from '../../../src/modules/terminal/session/viewers/viewer.ts'

const handsOver = (): Promise<void> => Promise.resolve()
/** The session's owner. */
export const ann = { name: 'ann@example.org', isHolder: true, mayControl: true, handsOver }
/** A guest of the session. */
export const bob = { name: 'bob@example.org', isHolder: false, mayControl: true, handsOver }

/** Records what the session shows it and tells it. */
export class Reader implements Viewer {
  backlog = 0
  askedSize: Size | null = null
  drains = 0
  people: string[] = []
  tellings = 0
  you = ''
  refusal: string | undefined
  refusals: string[] = []
  recordings: RecordedParts[] = []
  seen = ''
  endings: Ending[] = []

  output(chunk: Uint8Array): void {
    this.seen += Buffer.from(chunk).toString()
  }

  snapshot({ offset, data }: Snapshot): void {
    this.seen += `<screen at ${offset}: ${Buffer.from(data).toString()}>`
  }

  resized({ cols, rows }: Size): void {
    this.seen += `<${cols}x${rows}>`
  }

  company(people: readonly Participant[], you: string, refusal?: string): void {
    this.you = you
    this.refusal = refusal
    if (refusal !== undefined) this.refusals.push(refusal)
    this.tellings += 1
    this.people = people.map(
      ({ id, name, hasControl, asks }) => `${id} ${name}${hasControl ? ' has control' : ''}${asks ? ' asks' : ''}`,
    )
  }

  recorded(parts: RecordedParts): void {
    this.recordings.push(parts)
  }

  drained(): void {
    this.drains += 1
  }

  ended(ending: Ending): void {
    this.endings.push(ending)
  }
}
