/** Programs that use up a container's memory. */

/** Takes memory until the kernel kills it. */
export const GREEDY = ['tail', '/dev/zero']

/**
 * Fills the memory with what belongs to no process, so the kernel has to choose a victim. It chooses the process that
 * keeps the container running.
 */
export const TAKES_CONTAINER = [
  'sh',
  '-c',
  `for process in /proc/[0-9]*; do
  read -r name <$process/comm && [ "$name" = sleep ] && echo 1000 >$process/oom_score_adj
done
exec dd if=/dev/zero of=/dev/shm/full bs=1M`,
]
