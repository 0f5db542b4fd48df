/** Turns engine failures into reasons that a user can act on. */
import type { StateReason } from '@slipway/protocol'
import { RuntimeError, type RuntimeErrorCode } from '../../../runtime/errors.ts'
import type { ContainerSpec } from '../../../runtime/port.ts'
import { HomeError } from '../home/prepare.ts'

type Explain = (spec: ContainerSpec, detail: string) => StateReason

const REASONS: Partial<Record<RuntimeErrorCode, Explain>> = {
  image_missing: (spec) => ({
    code: 'image_missing',
    message: `The image ${spec.image} is not on this machine. Build or load it, or choose another, then start again.`,
  }),
  no_memory: (spec) => ({
    code: 'no_memory',
    message: `The machine has less than ${spec.memoryMb} MiB of memory for the agent. Give it less, or stop another agent, then start it again.`,
  }),
  name_taken: (_spec, detail) => ({
    code: 'name_taken',
    message: `Something else on this machine has its name: ${detail}. Remove that, then start again.`,
  }),
  engine_unavailable: () => ({
    code: 'engine_unavailable',
    message: 'The container engine did not answer. Try again when it does.',
  }),
}

/** Longest part of the engine's message that is shown, in characters. */
const DETAIL_LENGTH = 300

/** The reason shown with the state `failed`. */
export const reasonFor = (error: unknown, spec: ContainerSpec): StateReason => {
  if (error instanceof HomeError) return { code: 'home_not_writable', message: error.message }
  if (!(error instanceof RuntimeError))
    return { code: 'engine_error', message: 'The start failed unexpectedly; the log of the server has the details.' }
  const detail = error.message.slice(0, DETAIL_LENGTH)
  const explain = REASONS[error.code]
  return explain ? explain(spec, detail) : { code: 'engine_error', message: `The container engine said: ${detail}` }
}
