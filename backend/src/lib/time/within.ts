/** Waits for something for a limited time. */

/** Resolves when `work` does. After `ms` milliseconds it calls `late` and resolves, while the work continues. */
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
