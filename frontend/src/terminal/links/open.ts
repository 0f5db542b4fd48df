/** Whether text from a program may be opened as a link: other schemes could run something here or in another program. */
export function isWebLink(text: string): boolean {
  try {
    return ['http:', 'https:'].includes(new URL(text).protocol)
  } catch {
    return false
  }
}

/** Opens a link that a program printed; the new page cannot reach this one. */
export function openWebLink(text: string): void {
  if (isWebLink(text)) window.open(text, '_blank', 'noopener,noreferrer')
}

/** What opens a link: the first of quick clicks does. The second selects a word, and what it opened would be opened twice. */
export const atFirstClick =
  (open: (text: string) => void) =>
  ({ detail }: MouseEvent, text: string): void => {
    if (detail <= 1) open(text)
  }
