/** How long an object URL is kept for the browser to begin saving it, in milliseconds. */
const SAVE_MS = 60_000

/** Hands a file to the browser to be saved, as a link to it would. */
export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), SAVE_MS)
}
