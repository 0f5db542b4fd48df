/** Users who change something all the time. */

/** Parallel writers, each with one request at a time. */
const AT_ONCE = 4

let isOver = true
let writing: Promise<number[]> = Promise.resolve([])

/** Changes an agent's settings repeatedly until {@link stopWriting}. */
export const startWriting = (base: string, token: string, agent: string): void => {
  isOver = false
  const work = async (index: number): Promise<number> => {
    let done = 0
    for (; !isOver; done++) {
      const response = await fetch(`${base}/api/agents/${agent}`, {
        method: 'PATCH',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: `model-${index}-${done}` }),
      })
      if (!response.ok) throw new Error(`a change was answered with ${response.status}`)
      await response.arrayBuffer()
    }
    return done
  }
  writing = Promise.all(Array.from({ length: AT_ONCE }, (_, index) => work(index)))
}

/** Answers how many changes there were. */
export const stopWriting = async (): Promise<number> => {
  isOver = true
  return (await writing).reduce((sum, done) => sum + done, 0)
}
