// The browser that the end-to-end tests drive.
import { existsSync } from 'node:fs'
import { capture } from '../commands.mjs'
import { aptInstall } from './debian.mjs'
import { SetUpError } from '../steps.mjs'

/**
 * Names under which distributions have it. Debian's headless shell takes a fifth less CPU time, but knows no notifications
 * and no pictures on the clipboard.
 */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome']

const find = async () => {
  for (const name of NAMES) {
    const { code, stdout } = await capture(['which', name])
    if (code === 0) return stdout.trim()
  }
  return null
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
  const found = await find()
  if (found) return found
  await aptInstall(['chromium', 'fonts-liberation'], {
    purpose: 'Chromium is needed for the end-to-end tests',
    otherwise: 'Install it, or name its program in PLAYWRIGHT_CHROMIUM.',
    announce,
  })
  return find()
}
