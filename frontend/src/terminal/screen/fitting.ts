import type { Size } from '../session/frames.ts'

/** Smallest letters that a screen of another's size is shown in, in CSS pixels; what does not fit then is scrolled. */
export const FONT_SIZE_MIN = 8
/** Between two sizes of letters, in CSS pixels. */
const FONT_STEP = 0.5

/**
 * The size of letters, in CSS pixels, in which `needed` fits where with letters of `fontSize` there is room for `room`; at most
 * `most`, and never less than can be read. Cells are whole device pixels: look whether it does fit, and take a step down.
 */
export function fittingFont(fontSize: number, room: Size, needed: Size, most: number): number {
  const share = Math.min(room.cols / needed.cols, room.rows / needed.rows)
  const fitting = Math.floor((fontSize * share) / FONT_STEP) * FONT_STEP
  return Math.max(Math.min(fitting, most), Math.min(FONT_SIZE_MIN, most))
}
