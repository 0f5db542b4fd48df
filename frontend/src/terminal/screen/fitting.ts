import type { Size } from '../session/frames.ts'

/**
 * Smallest font for a screen with another participant's size, in CSS pixels. If it does not fit then, the view scrolls.
 */
export const FONT_SIZE_MIN = 8
/** Step between two font sizes, in CSS pixels. */
const FONT_STEP = 0.5

/**
 * The font size, in CSS pixels, at which `needed` fits, if `room` fits at `fontSize`. At most `most`, and never too
 * small to read. Cells are whole device pixels, so the caller has to check the result and may have to go one step down.
 */
export function fittingFont(fontSize: number, room: Size, needed: Size, most: number): number {
  const share = Math.min(room.cols / needed.cols, room.rows / needed.rows)
  const fitting = Math.floor((fontSize * share) / FONT_STEP) * FONT_STEP
  return Math.max(Math.min(fitting, most), Math.min(FONT_SIZE_MIN, most))
}
