import type { Recording } from '@slipway/protocol'
import { type CastFormat, deleteRecording, downloadCast, shareRecording } from '@/api/sessions/recordings.ts'
import { confirm } from '../useConfirm.ts'
import { useAttempt } from '../requests/useAttempt.ts'
import { useDownload } from '../requests/useDownload.ts'

/** The actions on a recording, for every page that shows one. */
export function useRecordingActions() {
  const attempt = useAttempt()
  const save = useDownload()

  function download({ id, agent, startedAt }: Recording, format: CastFormat = 'v3'): Promise<boolean> {
    const day = startedAt.slice(0, 19).replaceAll(':', '')
    const name = `slipway-${agent.name}-${day}.cast`
    return save('Could not download the recording', name, (way) => downloadCast(id, format, way))
  }

  /** Null if nothing changed. */
  async function share(recording: Recording): Promise<Recording | null> {
    const shared = !recording.shared
    let changed: Recording | null = null
    await attempt(shared ? 'Could not share the recording' : 'Could not stop sharing the recording', async () => {
      changed = await shareRecording(recording.id, shared)
    })
    return changed
  }

  async function remove(recording: Recording): Promise<boolean> {
    const sure = await confirm({
      title: 'Delete this recording?',
      body: 'This deletes the recording for everyone. The audit log still lists it.',
      action: 'Delete',
      danger: true,
    })
    return sure && attempt('Could not delete the recording', () => deleteRecording(recording.id))
  }

  return { download, share, remove }
}
