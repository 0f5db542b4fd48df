/** What a container says of its listeners. It may be hostile: whatever does not fit is left out. */
import { isIP } from 'node:net'
import { type AgentPort, PORTS_MAX } from '@slipway/protocol'
import Type from 'typebox'
import { Check } from 'typebox/value'

/** Longest command that is shown, in characters. */
const COMMAND_MAX = 160
/** The last second that a date of JavaScript can be (ECMA-262, 21.4.1.1). */
const LAST_SECOND = 8_640_000_000_000

const Listener = Type.Object({
  port: Type.Integer({ minimum: 1, maximum: 65_535 }),
  address: Type.String({ maxLength: 45 }),
  pid: Type.Integer({ minimum: 0, maximum: 4_194_304 }),
  startedAt: Type.Integer({ minimum: 0, maximum: LAST_SECOND }),
  command: Type.String(),
})

/** One entry for each port, in their order. */
export const listeningIn = (json: Buffer): AgentPort[] => {
  const ports = new Map<number, AgentPort>()
  for (const listener of arrayIn(json)) {
    if (!Check(Listener, listener) || isIP(listener.address) === 0) continue
    const { port, address, pid, startedAt, command } = listener
    const known = ports.get(port)
    const process = pid === 0 ? null : { pid, command: clean(command), startedAt: timeOf(startedAt) }
    ports.set(port, {
      port,
      addresses: [...new Set([...(known?.addresses ?? []), address])],
      process: known?.process ?? process,
    })
  }
  return [...ports.values()].sort((a, b) => a.port - b.port).slice(0, PORTS_MAX)
}

const arrayIn = (json: Buffer): unknown[] => {
  try {
    const value: unknown = JSON.parse(json.toString())
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

/** Without control characters, and without those that change the direction of a text. */
const clean = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]/gu, '').slice(0, COMMAND_MAX)

const timeOf = (seconds: number): string | null => (seconds === 0 ? null : new Date(seconds * 1000).toISOString())
