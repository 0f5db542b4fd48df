import { ref } from 'vue'
import { readDiscordChannels, setDiscordChannels } from '@/api/channels/discord.ts'

/**
 * The Discord channels of an agent, for one page. The API sets them all at once, and a list without a channel ends the
 * threads in it. Another window may have changed them, so they are read again before each change.
 */
export function useDiscordChannels(key: () => string) {
  const channels = ref<readonly string[] | null>(null)
  /** The last change. The next one waits for it. */
  let last = Promise.resolve()

  async function load(): Promise<void> {
    channels.value = (await readDiscordChannels(key())).channels
  }

  /** `changed` adds a channel, or removes one. Rejects if the channels cannot be read or set. */
  function change(changed: (now: readonly string[]) => readonly string[]): Promise<void> {
    const done = last.then(async () => {
      const now = (await readDiscordChannels(key())).channels
      const next = changed(now)
      channels.value = next.length === now.length ? now : (await setDiscordChannels(key(), next)).channels
    })
    last = done.catch(() => undefined)
    return done
  }

  return {
    channels,
    load,
    add: (channel: string) => change((now) => [...new Set([...now, channel])]),
    remove: (channel: string) => change((now) => now.filter((one) => one !== channel)),
  }
}
