import type { CreateWebhook, DeliveryState, Webhook, WebhookDelivery, WebhookKind } from '@slipway/protocol'

/** An outgoing webhook as its form edits it. */
export interface OutgoingForm {
  name: string
  url: string
  kinds: WebhookKind[]
  withText: boolean
}

/** What an outgoing webhook may hear of. */
export const KIND_CHOICES: readonly { value: WebhookKind; label: string; description: string }[] = [
  { value: 'task.ended', label: 'A task has ended', description: 'It completed, failed, or was stopped.' },
  { value: 'task.waiting', label: 'A task waits', description: 'The account of its CLI has reached a usage limit.' },
  { value: 'task.asks', label: 'A task asks', description: 'It waits for a person to answer a question.' },
]

const WORDS: Record<WebhookDelivery['kind'], string> = {
  'task.ended': 'Task ended',
  'task.waiting': 'Task waits',
  'task.asks': 'Task asks',
  test: 'Test',
}
export const kindWord = (kind: WebhookDelivery['kind']): string => WORDS[kind]

const VERBS: Record<WebhookKind, string> = { 'task.ended': 'has ended', 'task.waiting': 'waits', 'task.asks': 'asks' }
/** "A task has ended, or waits". */
export const heardOf = (kinds: readonly WebhookKind[]): string =>
  `A task ${KIND_CHOICES.filter(({ value }) => kinds.includes(value))
    .map(({ value }) => VERBS[value])
    .join(', or ')}`

const STATES: Record<DeliveryState, string> = { pending: 'Waits', delivered: 'Delivered', failed: 'Failed' }
export const deliveryWord = (state: DeliveryState): string => STATES[state]

/** What came of the last attempt: "204", "500: The receiver refused it.", or why there was no answer. */
export function answerOf({ status, error }: Pick<WebhookDelivery, 'status' | 'error'>): string {
  if (status === null) return error ?? ''
  return error === null ? `HTTP ${status}` : `HTTP ${status}. ${error}`
}

export const outgoingFormOf = (webhook?: Webhook): OutgoingForm => ({
  name: webhook?.name ?? '',
  url: webhook?.url ?? '',
  kinds: webhook?.kinds ?? ['task.ended'],
  withText: webhook?.withText ?? false,
})

export const outgoingBodyOf = (form: OutgoingForm) =>
  ({
    name: form.name.trim(),
    url: form.url.trim(),
    kinds: form.kinds,
    withText: form.withText,
  }) satisfies CreateWebhook

export type OutgoingProblems = Partial<Record<keyof OutgoingForm, string>>

/** What is wrong with the form, as far as this page knows. The server checks all of it. */
export function outgoingProblemsOf(form: OutgoingForm): OutgoingProblems {
  const { name, url, kinds } = outgoingBodyOf(form)
  return {
    ...(name === '' && { name: 'Enter a name.' }),
    ...(!(/^https?:/i.test(url) && URL.canParse(url)) && {
      url: 'Enter an address that begins with https:// or http://.',
    }),
    ...(kinds.length === 0 && { kinds: 'Choose at least one.' }),
  }
}
