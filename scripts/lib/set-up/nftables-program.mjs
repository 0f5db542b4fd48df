// The firewall whose documented rules the tests try.
import { aptInstall, hasProgram } from './debian.mjs'

/**
 * Makes sure that there is nftables, where there can be rules at all: they are for root alone, and so are their tests.
 *
 * @param {{announce: (line: string) => void}} options
 * @throws {SetUpError} when there is none and none may be installed
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
