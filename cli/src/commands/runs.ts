/** `slipway runs` */
import type { CodingResults, CodingSession, CodingSessionDiff } from '@slipway/protocol'
import { EXIT } from '../api/errors.ts'
import { pathOfRun, runOf } from '../api/runs.ts'
import { command } from '../arguments/command.ts'
import { follow } from '../follow/follow.ts'
import { followOptions, followSettings } from '../follow/options.ts'
import { table } from '../output/table.ts'
import { textReport } from '../output/report.ts'

/** Most results of one request. */
const RESULTS = 100

export const runs = command({
  name: 'runs',
  about: 'List your active tasks, or show one of them',
  positionals: [{ name: 'ID', kind: 'run', optional: true }],
  options: {
    ...followOptions,
    ended: { type: 'boolean', about: `List your last ${RESULTS} tasks that have ended` },
  },
  run: async ({ arguments: [id], options }, context) => {
    const { out, interrupted } = context
    const client = await context.client()
    if (id !== undefined) {
      const session = await runOf(client, id, interrupted)
      const settings = followSettings(options)
      if (settings !== null && (options.follow === true || settings.ui !== undefined))
        return follow(client, session, settings, context)
      if (options.json === true) out.json(session)
      else out.say(described(session))
      if (settings?.hasDiff === true) {
        const diff = await client.json<CodingSessionDiff>('GET', pathOfRun(id, '/diff'), { signal: interrupted })
        if (options.json === true) out.json({ type: 'diff', diff })
        else textReport(out.stdout).diff(diff)
      }
      return EXIT.done
    }
    if (options.ended === true) {
      const query = { limit: RESULTS }
      const { items } = await client.json<CodingResults>('GET', '/coding-agents/results', {
        query,
        signal: interrupted,
      })
      const rows = items.map(({ sessionId, agent, reason, prompt }) => [sessionId, agent ?? '', reason, prompt])
      if (options.json === true) for (const item of items) out.json(item)
      else out.say(table(['ID', 'AGENT', 'REASON', 'PROMPT'], rows))
      return EXIT.done
    }
    const active = await client.json<CodingSession[]>('GET', '/coding-agents/sessions', { signal: interrupted })
    const rows = active.map((session) => [session.id, session.agent ?? '', stateOf(session), session.prompt])
    if (options.json === true) for (const session of active) out.json(session)
    else if (rows.length === 0) out.note('You have no active tasks. "slipway runs --ended" lists the others.')
    else out.say(table(['ID', 'AGENT', 'STATE', 'PROMPT'], rows))
    return EXIT.done
  },
})

const stateOf = ({ state, waitsFor }: CodingSession): string =>
  waitsFor === 'person' ? 'waiting for you' : waitsFor === null ? state : `${state} (usage limit)`

/** One task, for people. */
const described = (session: CodingSession): string => {
  const { id, agent, displayName, createdAt, prompt, error, result, filesChanged } = session
  return [
    ...[
      `${id}  ${stateOf(session)}`,
      `${displayName} in ${agent ?? 'a deleted agent'}, since ${createdAt}`,
      '',
      prompt,
    ],
    ...(result === null ? [] : ['', result]),
    ...(error === null ? [] : ['', `✗ ${error}`]),
    ...(filesChanged === null ? [] : ['', `${filesChanged} files changed`]),
  ].join('\n')
}
