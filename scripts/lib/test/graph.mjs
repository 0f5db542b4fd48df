// Runs nodes that depend on each other, each as early as possible. Nodes are parts of the set-up, and suites of tests.

/**
 * @typedef {object} Node
 * @property {string} name
 * @property {string[]} after names of nodes that must have succeeded before
 * @property {number} cores that the node keeps busy on average, perhaps a part of one; 0 for a node that waits
 * @property {() => Promise<boolean>} run answers whether it succeeded; does not reject
 * @property {(failed: string) => void} [skipped] is called instead of `run`, with the name of the earlier node that
 *   failed
 */

/** The first node of `after` that has failed. */
const failedBefore = ({ after }, outcomes) => after.find((name) => outcomes.get(name) === false)
const isReady = ({ after }, outcomes) => after.every((name) => outcomes.get(name) === true)

/**
 * Runs every node once, as soon as the nodes of its `after` have succeeded and the machine has enough free cores. If
 * several nodes could start, the first in the list does, and the cores that it waits for are not given to the next. A node
 * that needs more cores than there are starts when no other node uses any.
 *
 * @param {Node[]} nodes without a circle; all nodes of an `after` are in the list
 * @param {{cores: number, signal: AbortSignal}} machine after the signal is aborted, no node starts
 * @returns {Promise<Map<string, boolean>>} the results of the nodes that ran or were skipped
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
    let isTaken = false
    for (const node of waiting) {
      if (!isReady(node, outcomes)) continue
      const fits = busy + node.cores <= cores || busy === 0
      if (node.cores === 0 || (fits && !isTaken)) start(node)
      // Smaller ones would take what it waits for, one after the other.
      else isTaken = true
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
