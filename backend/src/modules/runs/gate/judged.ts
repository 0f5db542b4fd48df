/** What a gate is told of a validation. */
import type { ValidationEvidence, ValidationReason, ValidationState } from '@slipway/protocol'

/** What a validation found. */
export interface Judged {
  readonly state: Extract<ValidationState, 'passed' | 'failed' | 'failing_before' | 'not_verified'>
  readonly reason: ValidationReason | null
  /** The reason as a sentence; null without one. */
  readonly message: string | null
  readonly evidence: ValidationEvidence
  /** Whether a command held a credential of its user's own, so that its output is that user's. */
  readonly personal: boolean
}
