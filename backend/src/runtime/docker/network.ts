/** The agents' network: one bridge on which containers cannot reach each other. */
import { createHash } from 'node:crypto'
import type Docker from 'dockerode'
import { RuntimeError } from '../errors.ts'
import { toRuntimeError } from './errors.ts'
import type { Names } from './profile.ts'

/** Subnets are /20 slices of this /13 (room for 4,093 agents each): Docker's own pools are used up at about 30 networks. */
const SECOND_OCTET = 208
const SLICES = 128

/** The nth /20 of 10.208.0.0/13. */
export const subnetSlice = (index: number): string => `10.${SECOND_OCTET + (index >> 4)}.${(index & 15) << 4}.0/20`

const NO_ICC = { 'com.docker.network.bridge.enable_icc': 'false' }

/**
 * Makes the network unless it is there. One of that name which is not ours is `name_taken`: on somebody else's network
 * agents might reach each other.
 */
export const ensureNetwork = async (docker: Docker, names: Names): Promise<void> => {
  const found = await docker.listNetworks({ filters: { name: [names.network] } })
  const existing = found.find((network) => network.Name === names.network)
  if (existing) {
    const isOurs = existing.Labels?.[names.label.managed] === 'true'
    const isApart = Object.entries(NO_ICC).every(([option, value]) => existing.Options?.[option] === value)
    if (isOurs && isApart) return
    throw new RuntimeError('name_taken', `a network named ${names.network} exists already`)
  }
  const first = createHash('sha256').update(names.network).digest().readUInt16BE(0) % SLICES
  for (let tries = 0; ; tries++) {
    try {
      await docker.createNetwork({
        Name: names.network,
        Driver: 'bridge',
        CheckDuplicate: true,
        IPAM: { Config: [{ Subnet: subnetSlice((first + tries) % SLICES) }] },
        Options: NO_ICC,
        Labels: { [names.label.managed]: 'true' },
      })
      return
    } catch (error) {
      const { message } = toRuntimeError(error)
      if (/already exists/i.test(message)) return
      if (!/overlap/i.test(message) || tries === SLICES - 1) throw error
    }
  }
}
