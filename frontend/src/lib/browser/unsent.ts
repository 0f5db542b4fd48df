const found = new Set<() => boolean>()

/**
 * Has `isUnsent` asked before the page reloads itself: whether that would lose something on its way from or to the user.
 * The answer ends this.
 */
export function countAsUnsent(isUnsent: () => boolean): () => void {
  found.add(isUnsent)
  return () => found.delete(isUnsent)
}

/** A field of the page in which there is text. An emulator's is empty but while a word is composed. */
const isFilled = (field: HTMLInputElement | HTMLTextAreaElement): boolean =>
  !['checkbox', 'radio', 'hidden'].includes(field.type) && field.value !== ''

/** Whether a reload would lose something. `fields`: text in fields counts, too. */
export function hasUnsent({ fields }: { fields: boolean }): boolean {
  if ([...found].some((isUnsent) => isUnsent())) return true
  const all = document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea')
  return fields && [...all].some(isFilled)
}
