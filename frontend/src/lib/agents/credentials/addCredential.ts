import { CREDENTIAL_KIND_NAMES, CREDENTIAL_KINDS, type CredentialKind, type CredentialService } from '@slipway/protocol'

/** Query parameter of a page with credentials. It names the kind whose form is open at first. */
export const ADD_QUERY = 'add'

/** The default kind for a service: a plain key, without a gateway of the user's own. */
export const kindFor = (service: CredentialService): CredentialKind | null =>
  CREDENTIAL_KIND_NAMES.find((kind) => CREDENTIAL_KINDS[kind].service === service && !CREDENTIAL_KINDS[kind].address) ??
  null

/** The kind that an address asks for. Null for any other value. */
export const kindAsked = (asked: unknown): CredentialKind | null =>
  CREDENTIAL_KIND_NAMES.find((kind) => kind === asked) ?? null
