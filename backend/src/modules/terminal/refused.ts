/** A terminal that is not opened, with the text and the close code from the protocol. */
import type { CloseCode } from '@slipway/protocol'
import type { Ending } from '../sessions/ending.ts'

export class RefusedError extends Error {
  override readonly name = 'RefusedError'
  readonly closeCode: CloseCode
  readonly ending: Ending | undefined

  constructor(closeCode: CloseCode, message: string, ending?: Ending) {
    super(message)
    this.closeCode = closeCode
    this.ending = ending
  }
}

export const refusedBy = (ending: Ending): RefusedError => new RefusedError(ending.code, ending.message, ending)
