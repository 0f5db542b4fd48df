/** A container whose holders the tests use without the runtime. */
import { until as untilWithin } from '@slipway/testing'
import { BUILT_IN, FOLDER } from '../../../src/runtime/docker/held/binary.ts'
import { type Subject, useSubject } from '../../conformance/subject.ts'
import { IMAGE, type TestEngine, useEngine } from '../engine/engine.ts'
import { Holders } from './holder.ts'

/** How much input may wait, and how often consumed input is reported (TYPING_BYTES, TELL_TAKEN_BYTES in holder.c). */
export const WINDOW_BYTES = 262_144
export const TELL_TAKEN_BYTES = 32_768
/** Exit code of main.c if no holder answers. */
export const NONE = 3

/** Timeout of most tests of the holder, in milliseconds. They run in parallel. */
const WITHIN_MS = 120_000
export const until: typeof untilWithin = (what, condition, withinMs) =>
  untilWithin(what, condition, withinMs ?? WITHIN_MS)

/** What the tests of the holder ask of their container. */
export interface HolderSubject extends Pick<TestEngine, 'runtime'> {
  readonly subject: Subject
  holders(): Holders
  /** What `sh -c` prints in the container. */
  output(script: string): Promise<string>
  /** The sessions whose holders answer, as the holder's own program lists them. */
  listed(): Promise<string[]>
  /** The names in the folder of the holders. */
  doors(): Promise<string[]>
  isAlive(pid: number): Promise<boolean>
}

/** Call it at the top of a test file. The container exists only inside of tests. */
export const useHolders = (): HolderSubject => {
  const { docker, runtime } = useEngine()
  const subject = useSubject({ runtime, image: IMAGE })
  const output = async (script: string): Promise<string> => (await subject.sh(script)).stdout.toString()
  const lines = async (script: string): Promise<string[]> => (await output(script)).split('\n').filter(Boolean)
  return {
    runtime,
    subject,
    holders: () => new Holders(docker.getContainer(subject.containerId)),
    output,
    listed: () => lines(`${BUILT_IN} list ${FOLDER}`),
    doors: () => lines(`ls ${FOLDER}`),
    isAlive: async (pid) => (await subject.sh(`kill -0 ${pid}`)).exitCode === 0,
  }
}
