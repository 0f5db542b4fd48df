/** What a thumb has of a control: all that presses it, which may be more than it shows. */
import type { Locator } from 'playwright'

/** Furthest that is looked from a control's middle, in CSS pixels. */
const REACH = 40

/** The height at the middle of a control within which a press is its own, or its label's, in CSS pixels. */
export const thumbHeight = (control: Locator): Promise<number> =>
  control.evaluate((element, reach) => {
    const { x, y, width, height } = element.getBoundingClientRect()
    const presses = (at: number): boolean => {
      const hit = document.elementFromPoint(x + width / 2, at)
      return hit !== null && (element.contains(hit) || hit.closest('label')?.htmlFor === element.id)
    }
    const middle = y + height / 2
    const until = (step: number): number => {
      let distance = 0
      while (distance < reach && presses(middle + step * (distance + 1))) distance += 1
      return distance
    }
    return until(-1) + 1 + until(1)
  }, REACH)
