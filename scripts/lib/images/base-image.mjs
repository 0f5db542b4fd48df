// The base of the images: Debian's image, or one of Debian's packages if no image can be pulled.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { capture, mustRun } from '../commands.mjs'
import { aptInstall, hasProgram } from '../set-up/debian.mjs'
import { SetUpError } from '../steps.mjs'

const DEFAULT_BASE = 'debian:bookworm-slim'
/** Name of the base that this file makes. */
export const OWN_BASE = 'slipway-base:bookworm'
const SUITE = 'bookworm'
/**
 * A pull of 30 MB takes seconds. A network that drops packets without an answer must not block the build. Milliseconds.
 */
const PULL_WITHIN_MS = 180_000

/** Debian's own slim image leaves these out, too. */
const LEFT_OUT = ['/usr/share/man/*', '/usr/share/locale/*', '/usr/share/doc/*']

const exists = async (image) => (await capture(['docker', 'image', 'inspect', image])).code === 0

const makeOwnBase = async (announce) => {
  if (!(await hasProgram('mmdebstrap'))) {
    await aptInstall(['mmdebstrap'], {
      purpose: `${DEFAULT_BASE} can not be pulled, so mmdebstrap is needed to make a base image`,
      otherwise: 'Load a Debian image into the engine and name it in SLIPWAY_BASE_IMAGE.',
      announce,
    })
  }
  announce(`${DEFAULT_BASE} can not be pulled; making a base of Debian's packages`)
  const folder = mkdtempSync(join(tmpdir(), 'slipway-base-'))
  try {
    const archive = join(folder, 'base.tar')
    const excludes = LEFT_OUT.map((path) => `--dpkgopt=path-exclude=${path}`)
    await mustRun([
      ...['mmdebstrap', '--variant=minbase', '--include=ca-certificates', ...excludes],
      ...['--dpkgopt=path-include=/usr/share/doc/*/copyright', SUITE, archive],
    ])
    await mustRun(['docker', 'import', archive, OWN_BASE])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Makes sure that the engine has a Debian to start from.
 *
 * @param {{announce: (line: string) => void}} options
 * @returns {Promise<string>} its name: SLIPWAY_BASE_IMAGE, Debian's slim image, or the one made here
 * @throws {SetUpError} when SLIPWAY_BASE_IMAGE can not be pulled, or no base can be made
 */
export const ensureBaseImage = async ({ announce }) => {
  const chosen = process.env.SLIPWAY_BASE_IMAGE
  const wanted = chosen ?? DEFAULT_BASE
  if (await exists(wanted)) return wanted
  if (!chosen && (await exists(OWN_BASE))) return OWN_BASE

  announce(`pulling ${wanted}`)
  const pull = await capture(['docker', 'pull', wanted], { timeoutMs: PULL_WITHIN_MS })
  if (pull.code === 0) return wanted
  if (chosen) throw new SetUpError(`SLIPWAY_BASE_IMAGE (${chosen}) can not be pulled: ${pull.output.trim()}`)
  await makeOwnBase(announce)
  return OWN_BASE
}
