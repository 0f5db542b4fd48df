import type { SshServer } from '@slipway/protocol'
import { onMounted, ref, type Ref } from 'vue'
import { readSshServer } from '@/api/identity/ssh.ts'

/**
 * Where agents are reached by SSH. Null until the server has said it. If it does not answer it stays null, because what is
 * said about SSH helps only with what other requests show, and they say what is wrong.
 */
export function useSshServer(): Readonly<Ref<SshServer | null>> {
  const server = ref<SshServer | null>(null)
  onMounted(async () => {
    server.value = await readSshServer().catch(() => null)
  })
  return server
}
