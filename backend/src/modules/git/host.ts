/** The repository that the address of a remote names, and the pages of its host. */

/** A repository on a host with pages. */
export interface Hosted {
  readonly host: string
  /** `owner/name`; on some hosts with more parts. */
  readonly path: string
}

/** The forms of an address: https and ssh, and that of scp. */
const FORMS = [/^(?:https|ssh):\/\/(?:[^/@]*@)?([^/:@]+)(?::\d+)?\/(.+)$/, /^[^/@]+@([^/:]+):(?!\/)(.+)$/]
const NAME = /^[A-Za-z0-9._-]+$/

/** Null for a folder, and for what is no address of a repository on a host. */
export const hostedOf = (url: string): Hosted | null => {
  const [, host, rest] = FORMS.map((form) => form.exec(url)).find((found) => found !== null) ?? []
  if (host === undefined || rest === undefined || !NAME.test(host)) return null
  const path = rest.replace(/\/$/, '').replace(/\.git$/, '')
  const parts = path.split('/')
  return parts.length >= 2 && parts.every((part) => NAME.test(part) && !/^\.+$/.test(part)) ? { host, path } : null
}

/** The address without a user's name and password. */
export const shownUrl = (url: string): string => url.replace(/^([a-z+]+:\/\/)[^/@]*@/i, '$1')

/** Whether `gh` can open a pull request there: GitHub and GitHub Enterprise. */
export const isGitHub = ({ host, path }: Hosted): boolean =>
  (host === 'github.com' || host.startsWith('github.') || host.endsWith('.ghe.com')) && path.split('/').length === 2

/** The page on which a user proposes a branch; null for an unknown kind of host. */
export const compareUrl = (hosted: Hosted, base: string, branch: string): string | null => {
  const { host, path } = hosted
  const page = `https://${host}/${path}`
  if (isGitHub(hosted)) return `${page}/compare/${encoded(base)}...${encoded(branch)}?expand=1`
  const query = (name: string): string => `${name}=${encodeURIComponent(branch)}`
  if (host.includes('gitlab')) return `${page}/-/merge_requests/new?${query('merge_request%5Bsource_branch%5D')}`
  if (host.includes('bitbucket')) return `${page}/pull-requests/new?${query('source')}`
  return null
}

const encoded = (branch: string): string => branch.split('/').map(encodeURIComponent).join('/')
