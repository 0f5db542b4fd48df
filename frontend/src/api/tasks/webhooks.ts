import type {
  CreatedIncomingHook,
  CreatedWebhook,
  CreateIncomingHook,
  CreateWebhook,
  IncomingHook,
  UpdateIncomingHook,
  UpdateWebhook,
  Webhook,
  WebhookDelivery,
} from '@slipway/protocol'
import { http } from '../transport/client.ts'

/** Paths of outgoing webhooks below `/api`: the user's own, and the platform's. */
export const MY_WEBHOOKS = '/webhooks'
export const PLATFORM_WEBHOOKS = '/platform/webhooks'

const below = (path: string, id: string): string => `${path}/${encodeURIComponent(id)}`

/** Oldest first. */
export const listWebhooks = (path: string) => http.request<Webhook[]>('GET', path)
/** The only answer with the secret, besides that of {@link rotateWebhook}. */
export const createWebhook = (path: string, body: CreateWebhook) => http.request<CreatedWebhook>('POST', path, body)
export const updateWebhook = (path: string, id: string, body: UpdateWebhook) =>
  http.request<Webhook>('PATCH', below(path, id), body, 'harmless')
export const deleteWebhook = (path: string, id: string) => http.send('DELETE', below(path, id))
export const rotateWebhook = (path: string, id: string) =>
  http.request<CreatedWebhook>('POST', `${below(path, id)}/rotate`)
/** Sends a message once, and waits for what became of it. */
export const testWebhook = (path: string, id: string) =>
  http.request<WebhookDelivery>('POST', `${below(path, id)}/test`)
/** Newest first. */
export const listDeliveries = (path: string, id: string) =>
  http.request<WebhookDelivery[]>('GET', `${below(path, id)}/deliveries`)
export const sendAgain = (path: string, id: string, delivery: string) =>
  http.request<WebhookDelivery>('POST', `${below(path, id)}/deliveries/${encodeURIComponent(delivery)}/again`)

const INCOMING = '/incoming-webhooks'

/** Oldest first. */
export const listIncoming = () => http.request<IncomingHook[]>('GET', INCOMING)
/** The only answer with the secret, besides that of {@link rotateIncoming}. */
export const createIncoming = (body: CreateIncomingHook) => http.request<CreatedIncomingHook>('POST', INCOMING, body)
export const updateIncoming = (id: string, body: UpdateIncomingHook) =>
  http.request<IncomingHook>('PATCH', below(INCOMING, id), body, 'harmless')
export const deleteIncoming = (id: string) => http.send('DELETE', below(INCOMING, id))
export const rotateIncoming = (id: string) => http.request<CreatedIncomingHook>('POST', `${below(INCOMING, id)}/rotate`)
