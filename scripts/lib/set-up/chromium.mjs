// The browser that the end-to-end tests drive.
import { existsSync } from 'node:fs'
import { capture } from '../commands.mjs'
import { aptInstall } from './debian.mjs'
import { SetUpError } from '../steps.mjs'

/** Chromium without a window: the same engine for a fifth less CPU time. Debian has it as a package; Ubuntu does not. */
const HEADLESS = 'chromium-headless-shell'
/** Names of other programs that the tests can use. */
const OTHERS = ['chromium', 'chromium-browser', 'google-chrome']

const find = async (names) => {
  for (const name of names) {
    const { code, stdout } = await capture(['which', name])
    if (code === 0) return stdout.trim()
  }
  return null
}

const install = async (name, announce) => {
  await aptInstall([name, 'fonts-liberation'], {
    purpose: 'Chromium is needed for the end-to-end tests',
    otherwise: 'Install it, or name its program in PLAYWRIGHT_CHROMIUM.',
    announce,
  })
  return find([name])
}

/**
 * Makes sure that there is a Chromium.
 *
 * @param {{announce: (line: string) => void}} options
 * @returns {Promise<string>} the program's path: PLAYWRIGHT_CHROMIUM, an installed one, or Debian's
 * @throws {SetUpError} when PLAYWRIGHT_CHROMIUM names no file, or there is none and the set-up may not install it
 */
export const ensureChromium = async ({ announce }) => {
  const chosen = process.env.PLAYWRIGHT_CHROMIUM
  if (chosen) {
    if (existsSync(chosen)) return chosen
    throw new SetUpError(`PLAYWRIGHT_CHROMIUM names ${chosen}, which does not exist.`)
  }
  const found = await find([HEADLESS])
  if (found) return found
  try {
    return await install(HEADLESS, announce)
  } catch {
    return (await find(OTHERS)) ?? install('chromium', announce)
  }
}
