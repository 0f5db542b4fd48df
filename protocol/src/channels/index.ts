/** How users and other servers hear of what happens. */
export {
  QuietHours,
  NotificationPreferences,
  type NotificationKind,
  DEFAULT_NOTIFICATIONS,
  isQuiet,
} from './notifications.ts'
export { noticeKindOf, noticeOf, terminalLine, titleLine, withHiddenInSight } from './notices.ts'
export { AddPushDevice, Channels, LookedAt, PUSH_DEVICES_MAX, PushDevice, type PushMessage, PushTest } from './push.ts'
export { DISCORD_CHANNELS_MAX, DiscordAccount, DiscordChannels, DiscordCode } from './discord.ts'
export {
  WEBHOOKS_MAX,
  WEBHOOK_DELIVERIES_KEPT,
  WEBHOOK_TEXT_MAX,
  INCOMING_BODY_BYTES,
  INCOMING_PER_MINUTE,
  TEMPLATE_VALUE_MAX,
  WEBHOOK_KINDS,
  type WebhookKind,
  CreateWebhook,
  UpdateWebhook,
  Webhook,
  CreatedWebhook,
  type DeliveryState,
  WebhookDelivery,
  type HookSource,
  CreateIncomingHook,
  UpdateIncomingHook,
  IncomingHook,
  CreatedIncomingHook,
  HookReceipt,
} from './webhooks.ts'
