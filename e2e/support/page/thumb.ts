/** Measures the touch target of a control, which may be larger than the control looks. */
import type { Locator } from 'playwright'

/** How far from the control's middle to search, in CSS pixels. */
const REACH = 40

/** Height of the touch target at a control's middle, including its label, in CSS pixels. */
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
