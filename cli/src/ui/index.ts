/** `@slipway/cli/ui`: three ways to ask a person, with the streams and the clock of the caller. */
export {
  type AskOptions,
  type ChoiceOptions,
  type Clock,
  type NoticeType,
  type Outcome,
  type SelectOption,
  TIMEOUT_MS,
  type Ui,
  type UiErrorCode,
  type WidgetContent,
} from './ui.ts'
export { RpcUi, type RpcOptions } from './rpc.ts'
export { DebugUi, type DebugOptions } from './debug.ts'
export { HeadlessUi, type Logger } from './headless.ts'
