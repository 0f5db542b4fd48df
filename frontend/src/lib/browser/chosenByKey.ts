/**
 * Ends a press of Enter that has chosen an option. The list closes and its button has the focus again while the key press
 * goes on, so the browser would click that button, and the list would open again. This listener comes after those of the
 * list, which ignores a key press that was prevented before.
 */
export function endChoicesByEnter(): void {
  window.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.target instanceof Element)) return
    if (event.target.closest('[role="option"]') !== null) event.preventDefault()
  })
}
