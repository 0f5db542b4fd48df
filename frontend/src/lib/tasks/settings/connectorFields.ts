import type { Connector, ConnectorKind, SetConnector } from '@slipway/protocol'
import { listIn, textOfTexts, textsIn } from './lines.ts'

/** A connector as its form edits it. */
export interface ConnectorForm {
  name: string
  kind: ConnectorKind
  url: string
  /** `Name: value` on each line. */
  headers: string
  oauthToken: string
  command: string
  /** One on each line. */
  args: string
  /** `NAME=value` on each line. */
  env: string
  /** `NAME=value` on each line. They are never read back. */
  secrets: string
  enabled: boolean
}

export const formOf = (connector?: Connector): ConnectorForm => ({
  name: connector?.name ?? '',
  kind: connector?.kind ?? 'http',
  url: connector?.url ?? '',
  headers: textOfTexts(connector?.headers ?? null, ': '),
  oauthToken: '',
  command: connector?.command ?? '',
  args: (connector?.args ?? []).join('\n'),
  env: textOfTexts(connector?.env ?? null, '='),
  // The names help to enter the values again.
  secrets: (connector?.secrets ?? []).map((name) => `${name}=`).join('\n'),
  enabled: connector?.enabled ?? true,
})

export type ConnectorErrors = Partial<Record<keyof ConnectorForm, string>>

/** What is wrong with the lines of a form. */
export function problemsOf({ kind, headers, env, secrets }: ConnectorForm): ConnectorErrors {
  return {
    ...(kind === 'http' && textsIn(headers, ':') === null && { headers: 'Write each header as Name: value.' }),
    ...(kind === 'stdio' && textsIn(env, '=') === null && { env: 'Write each variable as NAME=value.' }),
    ...(textsIn(secrets, '=') === null && { secrets: 'Write each secret as NAME=value.' }),
  }
}

export function bodyOf(form: ConnectorForm): SetConnector {
  const { kind, enabled } = form
  const secrets = textsIn(form.secrets, '=') ?? {}
  const common = { enabled, ...(Object.keys(secrets).length > 0 && { secrets }) }
  if (kind === 'http')
    return {
      ...common,
      kind,
      url: form.url.trim(),
      headers: textsIn(form.headers, ':') ?? {},
      ...(form.oauthToken !== '' && { oauthToken: form.oauthToken.trim() }),
    }
  return { ...common, kind, command: form.command.trim(), args: listIn(form.args), env: textsIn(form.env, '=') ?? {} }
}
