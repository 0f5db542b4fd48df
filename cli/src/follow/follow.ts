/** Follows a task to its end: its events, its questions, its diff. */
import type { CodingSession, CodingSessionDiff, RunEvent } from '@slipway/protocol'
import type { Client } from '../api/client.ts'
import { EXIT } from '../api/errors.ts'
import { followRun, pathOfRun, runOf } from '../api/runs.ts'
import type { Context } from '../arguments/context.ts'
import { RunDialogs } from '../dialogs/run-dialogs.ts'
import type { FollowSettings } from './options.ts'
import { openSurface, type Surface } from './surface.ts'

/** Resolves with the exit code, which says whether the task has completed. */
export const follow = async (
  client: Client,
  session: CodingSession,
  settings: FollowSettings,
  context: Context,
): Promise<number> => {
  const surface = openSurface(settings, context, session)
  try {
    const ended = await toItsEnd(client, session, surface, context)
    if (settings.hasDiff)
      surface.report.diff(
        await client.json<CodingSessionDiff>('GET', pathOfRun(session.id, '/diff'), { signal: context.interrupted }),
      )
    return ended.state === 'completed' ? EXIT.done : EXIT.failed
  } catch (error) {
    if (context.interrupted.aborted)
      context.out.note(`The task goes on. "slipway runs ${session.id} --follow" follows it again.`)
    throw error
  } finally {
    surface.close()
  }
}

const toItsEnd = async (
  client: Client,
  session: CodingSession,
  { report, ui }: Surface,
  { interrupted }: Context,
): Promise<CodingSession> => {
  const dialogs = ui === null ? null : new RunDialogs(client, session.id, ui, interrupted)
  report.session(session)
  ui?.setTitle(titleOf(session))
  try {
    for await (const event of followRun(client, session.id, { signal: interrupted })) {
      report.event(event)
      if (ui !== null) indicate(event, ui)
      if (event.type === 'question') dialogs?.asked(event.requestId)
      if (event.type === 'answer') dialogs?.answered(event.requestId)
    }
  } finally {
    await dialogs?.end()
  }
  const ended = await runOf(client, session.id, interrupted)
  ui?.setWorkingMessage(null)
  ui?.setStatus('state', ended.state)
  if (ended.state === 'completed') ui?.notify('The task has completed.', 'success')
  else ui?.notify(ended.error ?? `The task has ended: ${ended.state}.`, 'error')
  report.ended(ended)
  return ended
}

/** Longest title, in UTF-16 code units. */
const TITLE_MAX = 80
const titleOf = ({ displayName, prompt }: CodingSession): string =>
  `${displayName}: ${prompt.trim().split('\n', 1)[0] ?? ''}`.slice(0, TITLE_MAX)

/** What the task does now, and its list of steps. */
const indicate = (event: RunEvent, ui: Surface['ui'] & object): void => {
  switch (event.type) {
    case 'tool_call':
      return ui.setWorkingMessage(event.name)
    case 'command':
      return ui.setWorkingMessage(event.state === 'started' ? event.command : null)
    case 'question':
      return ui.setStatus('state', 'waiting')
    case 'answer':
      return ui.setStatus('state', 'running')
    case 'plan': {
      const marks = { pending: '○', in_progress: '◐', completed: '●' } as const
      return ui.setWidget(
        'plan',
        event.items.map(({ text, state }) => `${marks[state]} ${text}`),
      )
    }
    default:
      return undefined
  }
}
