const found = new Set<() => boolean>()

/**
 * Registers `isUnsent`, which tells whether a reload would lose data on its way from or to the user. The page asks
 * before it reloads itself. Returns the function that unregisters it.
 */
export function countAsUnsent(isUnsent: () => boolean): () => void {
  found.add(isUnsent)
  return () => found.delete(isUnsent)
}

/** Whether a field holds text. The emulator's own field is empty unless the user is composing a word. */
const isFilled = (field: HTMLInputElement | HTMLTextAreaElement): boolean =>
  !['checkbox', 'radio', 'hidden'].includes(field.type) && field.value !== ''

/** Whether a reload would lose data. With `fields`, text in form fields counts, too. */
export function hasUnsent({ fields }: { fields: boolean }): boolean {
  if ([...found].some((isUnsent) => isUnsent())) return true
  const all = document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea')
  return fields && [...all].some(isFilled)
}
