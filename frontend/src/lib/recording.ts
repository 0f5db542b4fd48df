import type { RecordingState } from '@slipway/protocol'

/** What is said of a recording that did not end with its session, or has not yet; null for the others. */
export const STATE_WORDS: Record<RecordingState, { readonly word: string; readonly detail: string } | null> = {
  complete: null,
  recording: { word: 'Recording', detail: 'Its session goes on. This is what there is so far.' },
  cut: { word: 'Cut', detail: 'The server ended without a word. It plays up to what was written last.' },
  disk_full: { word: 'Disk full', detail: 'It ended because the disk was full. Its session went on.' },
  too_large: { word: 'Too large', detail: 'It ended at the size that one may have. Its session went on.' },
  failed: { word: 'Failed', detail: 'It ended because it could not be written. Its session went on.' },
}

/** Where a recording plays. */
export const recordingPage = (id: string): string => `/recordings/${id}`

/** A place in a recording: "0:05", "12:40", "1:02:03". */
export function playTime(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const [first = 0, ...others] = parts[0] === 0 ? parts.slice(1) : parts
  return [String(first), ...others.map((part) => String(part).padStart(2, '0'))].join(':')
}
