/** Whether the focus is in an element, or nowhere because what had it is gone. Otherwise the user has gone on to another place. */
export function isFocusLeftIn(element: Element | null | undefined): boolean {
  const { activeElement, body } = document
  return activeElement === null || activeElement === body || element?.contains(activeElement) === true
}
