/** The folder of a task's skills in its container. */
import { readFileSync } from 'node:fs'
import { SECOND_MS } from '../../../lib/time/clock.ts'
import type { Log } from '../../../lib/log.ts'
import type { ContainerRuntime } from '../../../runtime/port.ts'
import { folderOf } from '../rendered.ts'
import type { OwnedSkill } from '../skill.ts'

export interface PlaceDeps {
  readonly runtime: Pick<ContainerRuntime, 'run'>
  readonly log: Log
}

const SCRIPT = readFileSync(new URL('place.sh', import.meta.url), 'utf8')
/** Longest time for one of the scripts, in milliseconds: a task waits for the first one. */
const PLACE_MS = 10 * SECOND_MS

/** It is in no home and in no work tree, so it goes with the container. */
export const skillsFolder = (taskId: string): string => `/tmp/slipway-skills-${taskId}`

/** Writes the skills, in the place of earlier ones of this task. Answers the folder; null if it cannot be written. */
export const placeSkills = async (
  { runtime, log }: PlaceDeps,
  containerId: string,
  taskId: string,
  skills: readonly OwnedSkill[],
): Promise<string | null> => {
  const folder = skillsFolder(taskId)
  const files = folderOf(skills).flatMap(({ path, mode, text }) => [path, mode, text])
  const argv = ['/bin/sh', '-c', SCRIPT, 'slipway-skills', folder, ...files]
  try {
    const { exitCode, stderr } = await runtime.run(containerId, { argv, timeoutMs: PLACE_MS, maxOutputBytes: 4096 })
    if (exitCode === 0) return folder
    log.warn({ sessionId: taskId, exitCode, why: stderr.toString('utf8').trim() }, 'skills could not be written')
  } catch (error) {
    log.warn({ sessionId: taskId, err: error }, 'skills could not be written')
  }
  return null
}

/** Removes the folder. Never rejects. */
export const removeSkills = async ({ runtime, log }: PlaceDeps, containerId: string, taskId: string): Promise<void> => {
  const argv = ['/bin/rm', '-rf', '--', skillsFolder(taskId)]
  await runtime.run(containerId, { argv, timeoutMs: PLACE_MS, maxOutputBytes: 256 }).catch((error: unknown) => {
    // The next task with skills removes it, or the end of the container.
    log.debug({ sessionId: taskId, err: error }, 'the skills of a task are left in its container')
  })
}
