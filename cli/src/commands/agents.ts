/** `slipway agents` */
import type { Agent } from '@slipway/protocol'
import type { Client } from '../api/client.ts'
import { EXIT } from '../api/errors.ts'
import { command } from '../arguments/command.ts'
import { table } from '../output/table.ts'

interface PageOf<T> {
  readonly items: readonly T[]
  readonly nextCursor: string | null
}

/** Items of one request for a list. */
const PAGE = 500

/** All agents that the caller may see. */
export const allAgents = async (client: Client, signal?: AbortSignal): Promise<Agent[]> => {
  const all: Agent[] = []
  let cursor: string | undefined
  do {
    const page = await client.json<PageOf<Agent>>('GET', '/agents', { query: { limit: PAGE, cursor }, signal })
    all.push(...page.items)
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  return all
}

export const agents = command({
  name: 'agents',
  about: 'List the agents that you may use',
  positionals: [],
  options: { json: { type: 'boolean', about: 'One agent in each line, as JSON' } },
  run: async ({ options }, { client, out, interrupted }) => {
    const all = await allAgents(await client(), interrupted)
    if (options.json === true) for (const agent of all) out.json(agent)
    else if (all.length === 0) out.note('There are no agents that you may use.')
    else
      out.say(
        table(
          ['NAME', 'STATE', 'CODING CLI', 'MODEL', 'YOU ARE'],
          all.map(({ name, state, runtime, model, relation }) => [name, state, runtime, model ?? '', relation]),
        ),
      )
    return EXIT.done
  },
})
