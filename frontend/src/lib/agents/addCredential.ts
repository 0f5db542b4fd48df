import { CREDENTIAL_KIND_NAMES, CREDENTIAL_KINDS, type CredentialKind, type CredentialService } from '@slipway/protocol'

/** Of the address of a page with credentials: the kind whose form is to be open. */
export const ADD_QUERY = 'add'

/** The kind that one adds for a service without knowing more: a plain key, and no gateway of one's own. */
export const kindFor = (service: CredentialService): CredentialKind | null =>
  CREDENTIAL_KIND_NAMES.find((kind) => CREDENTIAL_KINDS[kind].service === service && !CREDENTIAL_KINDS[kind].address) ??
  null

/** The kind that an address asks for; null for anything else. */
export const kindAsked = (asked: unknown): CredentialKind | null =>
  CREDENTIAL_KIND_NAMES.find((kind) => kind === asked) ?? null
