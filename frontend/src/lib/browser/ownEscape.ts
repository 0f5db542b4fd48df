/** For `onEscapeKeyDown` of a dialog: a list that is open in its form closes first. The list has `data-own-escape`. */
export function leaveToList(event: KeyboardEvent): void {
  if (event.target instanceof Element && event.target.closest('[data-own-escape]') !== null) event.preventDefault()
}
