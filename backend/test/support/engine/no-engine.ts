import { RuntimeError } from '../../../src/runtime/errors.ts'
import type { ContainerRuntime } from '../../../src/runtime/port.ts'

const unavailable = () => Promise.reject(new RuntimeError('engine_unavailable', 'there is no engine in this test'))

/** A machine whose container engine does not answer. Everything that needs no container must work on it. */
export const noEngine: ContainerRuntime = {
  available: false,
  agentSubnets: [],
  watch: () => Promise.resolve(),
  close: () => Promise.resolve(),
  list: unavailable,
  components: unavailable,
  diskUse: unavailable,
  find: unavailable,
  fingerprint: () => '',
  launch: unavailable,
  stop: unavailable,
  remove: unavailable,
  homes: unavailable,
  removeHome: unavailable,
  run: unavailable,
  stream: unavailable,
  putRootFile: unavailable,
  start: unavailable,
  held: unavailable,
  attach: unavailable,
  hangUp: unavailable,
  processes: unavailable,
  endProcess: unavailable,
  logs: unavailable,
  usage: unavailable,
  followLogs: () => {
    throw new RuntimeError('engine_unavailable', 'there is no engine in this test')
  },
}
