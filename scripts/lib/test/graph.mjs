// Runs what depends on one another, as early as it can: the parts of the set-up, and the stages of the tests.

/**
 * @typedef {object} Node
 * @property {string} name
 * @property {string[]} after names of nodes that have to have succeeded before
 * @property {number} cores so many of the machine's it keeps busy on average, perhaps a part of one; 0 for one that waits
 * @property {() => Promise<boolean>} run whether it succeeded; does not reject
 * @property {(failed: string) => void} [skipped] is called instead of `run`, with the name of what failed before it
 */

/** Which of the nodes have to have succeeded, and have not. */
const failedBefore = ({ after }, outcomes) => after.find((name) => outcomes.get(name) === false)
const isReady = ({ after }, outcomes) => after.every((name) => outcomes.get(name) === true)

/**
 * Runs every node once all that it is after has succeeded and the machine has the cores left that it takes. Of those that could start the
 * first in the list does; one that takes more than there are starts when nothing else takes any.
 *
 * @param {Node[]} nodes without a circle; what one is after is among them
 * @param {{cores: number, signal: AbortSignal}} machine once the signal is aborted nothing more starts
 * @returns {Promise<Map<string, boolean>>} what became of those that were run or skipped
 */
export const runGraph = async (nodes, { cores, signal }) => {
  const outcomes = new Map()
  const waiting = new Set(nodes)
  const running = new Map()
  let busy = 0

  const skip = () => {
    for (let wasSkipped = true; wasSkipped;) {
      wasSkipped = false
      for (const node of waiting) {
        const failed = failedBefore(node, outcomes)
        if (failed === undefined) continue
        waiting.delete(node)
        outcomes.set(node.name, false)
        node.skipped?.(failed)
        wasSkipped = true
      }
    }
  }
  const start = (node) => {
    waiting.delete(node)
    busy += node.cores
    running.set(
      node,
      node.run().then((hasSucceeded) => {
        running.delete(node)
        busy -= node.cores
        outcomes.set(node.name, hasSucceeded)
      }),
    )
  }
  const startAll = () => {
    if (signal.aborted) return
    for (const node of waiting) {
      const fits = busy + node.cores <= cores || busy === 0
      if (isReady(node, outcomes) && fits) start(node)
    }
  }

  for (;;) {
    skip()
    startAll()
    if (running.size === 0) break
    await Promise.race(running.values())
  }
  if (waiting.size > 0 && !signal.aborted)
    throw new Error(`these wait for one another: ${[...waiting].map(({ name }) => name)}`)
  return outcomes
}
