/** The cookie by which a browser is known at the host name of a port. It is never sent to the app. */

/** With https, the prefix keeps other hosts of the same domain from setting it (RFC 6265bis, 4.1.3.2). */
const NAMES = { http: 'slipway_port', https: '__Host-slipway_port' } as const

/** A secret as `newSecret` makes them. */
const SECRET = /^[\w-]{43}$/

const nameOf = (isHttps: boolean): string => (isHttps ? NAMES.https : NAMES.http)

const entriesOf = (header: string): string[] => header.split(';').map((entry) => entry.trim())

/** The value for `set-cookie`. Only this host gets it. */
export const cookieOf = (secret: string, isHttps: boolean, maxAgeSeconds: number): string =>
  `${nameOf(isHttps)}=${secret}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}${isHttps ? '; Secure' : ''}`

/** The secrets in a request. An app may have set cookies of the same name for another path, so there may be several. */
export const secretsIn = (header: string | undefined, isHttps: boolean): string[] =>
  entriesOf(header ?? '')
    .filter((entry) => entry.startsWith(`${nameOf(isHttps)}=`))
    .map((entry) => entry.slice(nameOf(isHttps).length + 1))
    .filter((value) => SECRET.test(value))

/** Whether a `set-cookie` of an app would take the place of the platform's. */
export const isOwnCookie = (setCookie: string): boolean => {
  const name = setCookie.slice(0, setCookie.indexOf('=')).trim()
  return Object.values(NAMES).some((own) => own === name)
}

/** The cookies of the app alone. */
export const cookieHeaderWithout = (header: string): string =>
  entriesOf(header)
    .filter((entry) => !Object.values(NAMES).some((name) => entry.startsWith(`${name}=`)))
    .join('; ')
