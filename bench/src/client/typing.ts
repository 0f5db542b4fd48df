/** People at work in the terminals that are held. */
import { held } from './hold.ts'

/** A letter and its erasure, so that the command line stays as it is. */
const KEYS = ['x', '\u007f']

let timer: NodeJS.Timeout | undefined

/** Types so many keys a second from now on, into one terminal after the other. */
export const startTyping = (keysPerSecond: number): void => {
  let typed = 0
  timer = setInterval(() => {
    const channel = held[Math.floor(typed / KEYS.length) % held.length]
    channel?.write(KEYS[typed % KEYS.length] ?? '')
    typed += 1
  }, 1000 / keysPerSecond)
}

export const stopTyping = (): void => clearInterval(timer)
