/** What pages are told of runs: their states and their ends. */
import type { PlatformEvent, RunState } from '@slipway/protocol'
import type { Signal } from '../../../lib/emitter.ts'
import type { AgentNews } from '../../agents/news/topic.ts'
import type { RunEnd } from '../end.ts'
import type { RunRow } from '../repository.ts'
import { mayTell } from '../view.ts'

type Told = Pick<RunRow, 'id' | 'personal'>

/** The events of a run's end. */
const endEvents = (sessionId: string, { state, error, exitCode, reason }: RunEnd): PlatformEvent[] => [
  ...(error === null ? [] : [{ type: 'coding-agent:session:error', sessionId, error } as const]),
  { type: 'coding-agent:session:state', sessionId, state },
  { type: 'coding-agent:session:exit', sessionId, exitCode, reason },
]

export const runNews = (news: Pick<Signal<AgentNews>, 'emit'>) => ({
  state: (agentId: string, run: Told, state: RunState): void =>
    news.emit({ agentId, event: { type: 'coding-agent:session:state', sessionId: run.id, state }, may: mayTell(run) }),
  end: (agentId: string, run: Told, end: RunEnd): void => {
    for (const event of endEvents(run.id, end)) news.emit({ agentId, event, may: mayTell(run) })
  },
})
