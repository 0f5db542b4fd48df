// nftables, with which the tests try the documented firewall rules.
import { aptInstall, hasProgram } from './debian.mjs'

/**
 * Makes sure that there is nftables, if this process is root. Only root can set rules, so the tests of rules need root,
 * too.
 *
 * @param {{announce: (line: string) => void}} options
 * @throws {SetUpError} when there is none and the set-up may not install it
 */
export const ensureNftables = async ({ announce }) => {
  if (process.getuid?.() !== 0 || (await hasProgram('nft'))) return
  await aptInstall(['nftables'], {
    purpose: 'nftables is needed for the tests of the documented firewall rules',
    otherwise: 'Install it.',
    announce,
    startServices: false,
  })
}
