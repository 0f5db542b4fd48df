/** Waits for something, but not for ever. */

/** Resolves when `work` does, or after `ms`, in which case `late` is called first. The work itself goes on. */
export async function within(ms: number, work: Promise<unknown>, late: () => void): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const time = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      late()
      resolve()
    }, ms)
  })
  try {
    await Promise.race([work, time])
  } finally {
    clearTimeout(timer)
  }
}
