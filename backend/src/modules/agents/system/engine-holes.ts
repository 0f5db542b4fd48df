/** Known container escapes, with the engine component versions that fix them. */
import type { SystemWarning } from '@slipway/protocol'
import type { EngineComponent } from '../../../runtime/port.ts'

interface Hole {
  readonly cve: string
  readonly component: string
  /** The first fixed version in each branch that got a fix. All versions after the last one are fixed, too. */
  readonly fixedIn: readonly string[]
  readonly what: string
}

/** The three holes published together in November 2025. */
const FIXED_2025 = ['1.2.8', '1.3.3', '1.4.0']

/**
 * The worst first. Only holes that reach the host from inside an agent of this platform. The versions are from runc's
 * advisories.
 */
const HOLES: readonly Hole[] = [
  {
    cve: 'CVE-2019-5736',
    component: 'runc',
    fixedIn: ['1.0.0'],
    what: 'a container can overwrite runc on the host',
  },
  {
    cve: 'CVE-2024-21626',
    component: 'runc',
    fixedIn: ['1.1.12'],
    what: 'a container can reach the files of the host through a leaked descriptor',
  },
  {
    cve: 'CVE-2025-31133',
    component: 'runc',
    fixedIn: FIXED_2025,
    what: 'a container can undo what hides the kernel from it',
  },
  {
    cve: 'CVE-2025-52565',
    component: 'runc',
    fixedIn: FIXED_2025,
    what: 'a container can write to the kernel through its console',
  },
  {
    cve: 'CVE-2025-52881',
    component: 'runc',
    fixedIn: FIXED_2025,
    what: 'a container can turn what runc writes against the kernel',
  },
]

/** Marks of distributions in a version. They fix a version without changing its number. */
const DEBIAN = /[+~-](?:ds|dfsg|deb|\d*ubuntu)/
const OTHERS = /\.(?:fc|el|amzn|azl)\d|-r\d+$/

const numbers = (version: string): number[] | null =>
  /^v?(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number) ?? null

const compare = (a: readonly number[], b: readonly number[]): number => {
  const at = a.findIndex((part, index) => part !== b[index])
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0)
}

/** A release candidate comes before its release. */
const isCandidate = (version: string): boolean => /^v?\d+\.\d+\.\d+[-~]rc/.test(version)

const isFixed = (text: string, version: readonly number[], fixedIn: readonly string[]): boolean => {
  const fixes = fixedIn.map((fix) => numbers(fix) ?? [])
  const sameBranch = fixes.find((fix) => compare(fix.slice(0, 2), version.slice(0, 2)) === 0)
  if (!sameBranch) return compare(version, fixes.at(-1) ?? []) > 0
  const order = compare(version, sameBranch)
  return order > 0 || (order === 0 && !isCandidate(text))
}

/**
 * The holes in these versions of the engine's components. Distributions fix old versions without changing the number,
 * which is not visible here. For such a version the warning says that it may be open, and where to look.
 */
export const holesIn = (components: readonly EngineComponent[]): SystemWarning[] =>
  HOLES.flatMap(({ cve, component, fixedIn, what }) => {
    const found = components.find(({ name }) => name === component)
    const version = found && numbers(found.version)
    if (!version || isFixed(found.version, version, fixedIn)) return []
    const built = found.build.startsWith(found.version) ? found.build : found.version
    const subject = `${component} ${built}`
    const fix = `${what}; fixed in ${fixedIn.join(', ')}`
    if (DEBIAN.test(built) || OTHERS.test(built))
      return {
        code: cve,
        subject,
        severity: 'medium',
        message: `${subject} may have ${cve} (${fix}). Your distribution may have mended it under this number: its security tracker says.`,
        url: `${DEBIAN.test(built) ? 'https://security-tracker.debian.org/tracker' : 'https://nvd.nist.gov/vuln/detail'}/${cve}`,
      }
    return {
      code: cve,
      subject,
      severity: 'high',
      message: `${subject} has ${cve} (${fix}). Update the container engine.`,
      url: `https://nvd.nist.gov/vuln/detail/${cve}`,
    }
  })
