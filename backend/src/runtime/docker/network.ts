/** The agents' network: one bridge on which containers cannot reach each other. */
import { createHash } from 'node:crypto'
import type Docker from 'dockerode'
import { toRuntimeError } from './errors.ts'
import type { Names } from './profile.ts'

/** Subnets are /20 slices of this /13 (room for 4,093 agents each): Docker's own pools are used up at about 30 networks. */
const SECOND_OCTET = 208
const SLICES = 128

/** The nth /20 of 10.208.0.0/13. */
export const subnetSlice = (index: number): string => `10.${SECOND_OCTET + (index >> 4)}.${(index & 15) << 4}.0/20`

/** Makes the network unless it is there. Two backends that do so at once end with one. */
export const ensureNetwork = async (docker: Docker, names: Names): Promise<void> => {
  const existing = await docker.listNetworks({ filters: { name: [names.network] } })
  if (existing.some((network) => network.Name === names.network)) return
  const first = createHash('sha256').update(names.network).digest().readUInt16BE(0) % SLICES
  for (let tries = 0; ; tries++) {
    try {
      await docker.createNetwork({
        Name: names.network,
        Driver: 'bridge',
        CheckDuplicate: true,
        IPAM: { Config: [{ Subnet: subnetSlice((first + tries) % SLICES) }] },
        Options: { 'com.docker.network.bridge.enable_icc': 'false' },
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
