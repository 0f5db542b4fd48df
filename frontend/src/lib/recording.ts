import type { RecordingState } from '@slipway/protocol'

/** Labels for recordings that are still running or were cut short. Null for complete ones. */
export const STATE_WORDS: Record<RecordingState, { readonly word: string; readonly detail: string } | null> = {
  complete: null,
  recording: { word: 'Recording', detail: 'The session is still running. This is the recording so far.' },
  cut: { word: 'Cut', detail: 'The server stopped unexpectedly. The recording ends at the last saved output.' },
  disk_full: { word: 'Disk full', detail: 'Recording stopped because the disk was full. The session continued.' },
  too_large: { word: 'Too large', detail: 'Recording stopped at the size limit. The session continued.' },
  failed: { word: 'Failed', detail: 'Recording stopped because of a write error. The session continued.' },
}

/** The page that plays a recording. */
export const recordingPage = (id: string): string => `/recordings/${id}`

/** A position in a recording: "0:05", "12:40", "1:02:03". */
export function playTime(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const [first = 0, ...others] = parts[0] === 0 ? parts.slice(1) : parts
  return [String(first), ...others.map((part) => String(part).padStart(2, '0'))].join(':')
}
