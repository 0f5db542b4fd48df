/** What a webhook hears of a task. */
import { WEBHOOK_TEXT_MAX, type WebhookKind } from '@slipway/protocol'

/** The columns of a run that a delivery has. */
export const TOLD = {
  id: true,
  agentName: true,
  provider: true,
  model: true,
  state: true,
  reason: true,
  exitCode: true,
  costUsd: true,
  costEstimated: true,
  userId: true,
  createdAt: true,
  startedAt: true,
  continuesAt: true,
  endedAt: true,
} as const

/** The columns of a run with the words of users and of programs. */
export const TEXTS = { prompt: true, result: true, error: true } as const

export interface ToldRun {
  readonly id: string
  readonly agentName: string
  readonly provider: string
  readonly model: string | null
  readonly state: string
  readonly reason: string | null
  readonly exitCode: number | null
  readonly costUsd: number | null
  readonly costEstimated: boolean
  readonly userId: string
  readonly createdAt: Date
  readonly startedAt: Date | null
  readonly continuesAt: Date | null
  readonly endedAt: Date | null
}

export type RunTexts = Readonly<Record<keyof typeof TEXTS, string | null>>

interface Told {
  readonly deliveryId: string
  readonly kind: WebhookKind
  readonly at: Date
  readonly run: ToldRun
  /** Null if the webhook did not ask for them. */
  readonly texts: RunTexts | null
  /** The address of the server for users. */
  readonly baseUrl: string
}

/** The body of a delivery as JSON. Its id is in it, too, because the signature covers the body. */
export const bodyOf = ({ deliveryId, kind, at, run, texts, baseUrl }: Told): string =>
  JSON.stringify({
    deliveryId,
    kind,
    at,
    task: {
      id: run.id,
      agent: run.agentName,
      provider: run.provider,
      model: run.model,
      // The row of a run that waits for people says that its program runs.
      state: kind === 'task.asks' ? 'waiting' : run.state,
      reason: run.reason,
      exitCode: run.exitCode,
      costUsd: run.costUsd,
      costEstimated: run.costEstimated,
      userId: run.userId,
      createdAt: run.createdAt,
      startedAt: run.startedAt,
      continuesAt: run.continuesAt,
      completedAt: run.endedAt,
      url: `${baseUrl}/coding-agents/${run.id}`,
    },
    ...(texts && { text: { prompt: cut(texts.prompt), result: cut(texts.result), error: cut(texts.error) } }),
  })

/** The body of a test. */
export const testBody = (deliveryId: string, at: Date): string => JSON.stringify({ deliveryId, kind: 'test', at })

const cut = (text: string | null): string | null =>
  text === null || text.length <= WEBHOOK_TEXT_MAX ? text : `${text.slice(0, WEBHOOK_TEXT_MAX)}…`
