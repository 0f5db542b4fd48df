/** How long to keep an object URL so that the browser can start to save it, in milliseconds. */
const SAVE_MS = 60_000

/** Makes the browser save a file, as if the user had clicked a download link. */
export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), SAVE_MS)
}
