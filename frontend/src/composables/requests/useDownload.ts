import type { Gathered, Gathering } from '@/api/transport/gather.ts'
import { useDownloadsStore } from '@/stores/downloads.ts'
import { useAttempt } from './useAttempt.ts'

/** Saves a file, and says in a toast when that failed. Resolves with whether it did not. */
export function useDownload() {
  const attempt = useAttempt()
  const downloads = useDownloadsStore()
  return (failure: string, path: string, get: (way: Gathering) => Promise<Gathered>): Promise<boolean> =>
    attempt(failure, () => downloads.save(path, get))
}
