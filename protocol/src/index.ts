/**
 * All data on the wire, each as one schema. Validation, types and the OpenAPI page come from these schemas. The index of each
 * folder names what the folder exports. Files of this package import each other, never an index.
 */
export {
  Timestamp,
  ErrorBody,
  PAGE_LIMIT_MAX,
  PAGE_LIMIT_DEFAULT,
  PageQuery,
  Page,
  Nullable,
  Email,
  NewPassword,
} from './common.ts'
export { ERROR_STATUS, type ErrorCode } from './errors.ts'
export {
  EventsAuthFrame,
  LiveSession,
  RunSubscription,
  PlatformEvent,
  TERMINAL_NEEDS,
  type TerminalNeed,
} from './events.ts'
export {
  AUDIT_TARGETS,
  type AuditTargetType,
  AUDIT_ACTIONS,
  type AuditAction,
  AUDIT_VIA,
  AuditVia,
  AuditDetail,
  AuditEvent,
  AuditQuery,
  AUDIT_EXPORT_FORMATS,
  AuditExportQuery,
} from './audit.ts'
export * from './identity/index.ts'
export * from './agents/index.ts'
export * from './files/index.ts'
export * from './terminal/index.ts'
export * from './git/index.ts'
export * from './clis/index.ts'
export * from './tasks/index.ts'
export * from './dialogs/index.ts'
export * from './channels/index.ts'
