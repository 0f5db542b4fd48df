/** A terminal for measurements, over any transport. */

export interface Channel {
  write(data: string): void
  /** Sets the only listener. Data that came earlier is passed to it at once. */
  onData(listener: (chunk: Buffer) => void): void
  close(): Promise<void>
}

/** Keeps data until there is a listener. */
export class Inbox {
  #early: Buffer[] = []
  #listener: ((chunk: Buffer) => void) | null = null

  readonly take = (chunk: Buffer): void => {
    if (this.#listener) this.#listener(chunk)
    else this.#early.push(chunk)
  }

  readonly listen = (listener: (chunk: Buffer) => void): void => {
    this.#listener = listener
    for (const chunk of this.#early.splice(0)) listener(chunk)
  }
}

/** Resolves with the next data. */
export const nextData = (channel: Channel): Promise<Buffer> => new Promise((resolve) => channel.onData(resolve))

/** Resolves when the output ends with the text. */
export const endsWith = (channel: Channel, text: string): Promise<void> => {
  const wanted = Buffer.from(text)
  let tail: Buffer = Buffer.alloc(0)
  return new Promise((resolve) =>
    channel.onData((chunk) => {
      tail = Buffer.concat([tail, chunk]).subarray(-wanted.length)
      if (tail.equals(wanted)) resolve()
    }),
  )
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
