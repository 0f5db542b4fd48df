import type { Gathered, Gathering } from '@/api/transport/gather.ts'
import { useDownloadsStore } from '@/stores/shell/downloads.ts'
import { useAttempt } from './useAttempt.ts'

/** Downloads a file and shows a toast if that fails. Resolves with whether it succeeded. */
export function useDownload() {
  const attempt = useAttempt()
  const downloads = useDownloadsStore()
  return (failure: string, path: string, get: (way: Gathering) => Promise<Gathered>): Promise<boolean> =>
    attempt(failure, () => downloads.save(path, get))
}
