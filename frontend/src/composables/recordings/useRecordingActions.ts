import type { Recording } from '@slipway/protocol'
import { useToast } from '@nuxt/ui/composables'
import { deleteRecording, downloadCast, shareRecording } from '@/api/recordings.ts'
import { confirm } from '../useConfirm.ts'
import { useAttempt } from '../requests/useAttempt.ts'
import { useDownload } from '../requests/useDownload.ts'

/** What can be done with a recording, wherever it is shown. */
export function useRecordingActions() {
  const attempt = useAttempt()
  const toast = useToast()

  const save = useDownload()

  function download({ id, agent, startedAt }: Recording): Promise<boolean> {
    const day = startedAt.slice(0, 19).replaceAll(':', '')
    const name = `slipway-${agent.name}-${day}.cast`
    return save('The recording could not be downloaded', name, (way) => downloadCast(id, way))
  }

  /** Null where nothing changed. */
  async function share(recording: Recording): Promise<Recording | null> {
    const shared = !recording.shared
    let changed: Recording | null = null
    await attempt('The recording could not be shared', async () => {
      changed = await shareRecording(recording.id, shared)
      const title = shared ? 'Everybody whom the agent is shared with can see it' : 'Shared no more'
      toast.add({ title, icon: 'i-lucide-check', color: 'success', duration: 2_500 })
    })
    return changed
  }

  async function remove(recording: Recording): Promise<boolean> {
    const sure = await confirm({
      title: 'Delete this recording?',
      body: 'The file goes, for everybody. That it was there stays in the audit log.',
      action: 'Delete',
      danger: true,
    })
    return sure && attempt('The recording could not be deleted', () => deleteRecording(recording.id))
  }

  return { download, share, remove }
}
