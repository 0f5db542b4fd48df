/** Types into the held terminals, as users at work do. */
import { held } from './hold.ts'

/** A letter and its erasure, so the command line stays as it is. */
const KEYS = ['x', '\u007f']

let timer: NodeJS.Timeout | undefined

/** From now on types so many keys a second, into one terminal after the other. */
export const startTyping = (keysPerSecond: number): void => {
  let typed = 0
  timer = setInterval(() => {
    const channel = held[Math.floor(typed / KEYS.length) % held.length]
    channel?.write(KEYS[typed % KEYS.length] ?? '')
    typed += 1
  }, 1000 / keysPerSecond)
}

export const stopTyping = (): void => clearInterval(timer)
