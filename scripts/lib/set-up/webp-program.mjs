// The encoder of the README's moving picture.
import { aptInstall, hasProgram } from './debian.mjs'

/**
 * Makes sure that there is an img2webp.
 *
 * @param {{announce: (line: string) => void}} options
 * @throws {SetUpError} when there is none and the set-up may not install it
 */
export const ensureWebp = async ({ announce }) => {
  if (await hasProgram('img2webp')) return
  await aptInstall(['webp'], {
    purpose: 'img2webp is needed for the picture',
    otherwise: 'Install it.',
    announce,
  })
}
