/** The variables of the programs that prepare an agent. None has a key or a token that is set on the platform. */
import type { Provision } from '../credentials/provision/provision.ts'

type Variables = Record<string, string>

/** How programs reach the network here. Other variables of an agent, which may be secrets, are not for a clone. */
const NETWORK = /^(?:https?_proxy|all_proxy|no_proxy|ssl_cert_(?:file|dir)|curl_ca_bundle)$/i

/** What git needs to clone. */
export const forClone = (provision: Provision): Variables =>
  Object.fromEntries(Object.entries(forSetUp(provision)).filter(([name]) => NETWORK.test(name)))

/** What the set-up of a repository gets: the variables of the agent. */
export const forSetUp = (provision: Provision): Variables => provision.environment([]).env
