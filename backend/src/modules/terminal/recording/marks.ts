/** The texts of the marks in a recording. */
import { labelOf } from '../../providers/catalogue.ts'
import type { Mark } from '../session/viewers/observers.ts'

export const LABEL_OF_MARK: Record<Mark, string> = {
  attached: 'A client connected',
  detached: 'The connection was closed or lost',
  control: 'Control was handed over',
}

export const startMark = (mode: string): string => `${labelOf(mode)} was started`
export const RESUMED_MARK = 'The server was restarted'
export const SWITCHED_OFF_MARK = 'The recording was switched off'
export const CUT_MARK = 'The recording was cut here: the server stopped unexpectedly'
