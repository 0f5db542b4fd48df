/** The address of a mail server, from the environment. */

/** A mail server, and the sender of its mail. */
export interface SmtpConfig {
  readonly host: string
  readonly port: number
  /** TLS from the first byte. Otherwise STARTTLS, where the server offers it. */
  readonly secure: boolean
  /** A password goes to another machine over TLS only. */
  readonly requireTLS: boolean
  readonly auth: { readonly user: string; readonly pass: string } | undefined
  readonly from: string
}

/** Where mail programs hand in mail (RFC 8314, 7.3). */
const SUBMISSION_PORT = { 'smtp:': 587, 'smtps:': 465 } as const
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** Null if it is no such address. */
export const readSmtpUrl = (text: string): Omit<SmtpConfig, 'from'> | null => {
  const url = URL.parse(text)
  if (!url || (url.protocol !== 'smtp:' && url.protocol !== 'smtps:') || url.hostname === '') return null
  if ((url.pathname !== '' && url.pathname !== '/') || url.search !== '' || url.hash !== '') return null
  const secure = url.protocol === 'smtps:'
  const isSecret = url.username !== ''
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? SUBMISSION_PORT[url.protocol] : Number(url.port),
    secure,
    requireTLS: isSecret && !secure && !LOOPBACK.test(url.hostname),
    auth: isSecret ? { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } : undefined,
  }
}
