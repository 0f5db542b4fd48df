/** The pages that this server itself shows at the host name of a port. They run no script. */

/** How soon a page about an app that does not answer is loaded again, in seconds. */
const AGAIN_SECONDS = 2

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)

const STYLE = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:18vh auto 0;padding:0 1.5rem}
h1{font-size:1.25rem}p{opacity:.8}a{display:inline-block;margin-top:.5rem;padding:.5rem 1rem;border-radius:.5rem;background:#2563eb;color:#fff;text-decoration:none}`

interface Page {
  readonly title: string
  readonly text: string
  readonly link?: { readonly href: string; readonly label: string }
  /** Whether it loads itself again. */
  readonly again?: boolean
}

const html = ({ title, text, link, again = false }: Page): string =>
  [
    '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    again ? `<meta http-equiv="refresh" content="${AGAIN_SECONDS}">` : '',
    `<title>${escaped(title)}</title><style>${STYLE}</style><h1>${escaped(title)}</h1><p>${escaped(text)}</p>`,
    link ? `<a href="${escaped(link.href)}">${escaped(link.label)}</a>` : '',
    '</html>',
  ].join('')

/** Headers of every such page. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const

/** The browser has no right here: never, not any more, or its ticket was used. */
export const signInPage = (agentName: string, port: number, href: string): string =>
  html({
    title: `Port ${port} of ${agentName}`,
    text: 'Only users of this agent see its apps. Open the port from Slipway, which lets this browser in for twelve hours.',
    link: { href, label: 'Open in Slipway' },
  })

/** Nothing answers at the port. */
export const notUpPage = (agentName: string, port: number, why: string): string =>
  html({
    title: `Nothing answers on port ${port}`,
    text: `${why} This page looks again every ${AGAIN_SECONDS} seconds, and shows the app of ${agentName} as soon as it is up.`,
    again: true,
  })

/** A request that another site made. */
export const foreignPage = (): string =>
  html({ title: 'Not from there', text: 'A page of another site may not use this app. Open it from Slipway.' })

/** A request that may mean one thing here, and another one to the app. */
export const unclearPage = (): string =>
  html({ title: 'Not understood', text: 'The request is not one that a browser sends. The app has not received it.' })

/** A path of this server's own that it does not have. */
export const nothingPage = (): string => html({ title: 'Nothing here', text: 'No page of Slipway is at this address.' })
