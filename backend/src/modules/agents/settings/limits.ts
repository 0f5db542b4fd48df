/** The limits of this installation for agents. */
import { type AgentOptions, type AgentSettings, MEMORY_MB_MIN } from '@slipway/protocol'
import { AppError } from '../../../lib/errors.ts'
import { PROVIDERS } from '../../providers/catalogue.ts'

/** Two CPUs and 4 GiB: enough for a coding CLI and a build beside it. */
const DEFAULT_CPUS = 2
const DEFAULT_MEMORY_MB = 4096

/** The installation's choices and maxima. */
export interface Offer {
  readonly images: readonly string[]
  readonly maxCpus: number
  readonly maxMemoryMb: number
}

/** What the platform offers for the settings of an agent. */
export type SettingsOptions = Omit<AgentOptions, 'suggestedName'>

export const optionsOf = (offer: Offer): SettingsOptions => ({
  runtimes: PROVIDERS.filter(({ inImage }) => inImage).map(({ id, label }) => ({ id, label })),
  images: [...offer.images],
  cpus: { default: Math.min(DEFAULT_CPUS, offer.maxCpus), max: offer.maxCpus },
  memoryMb: {
    default: Math.max(MEMORY_MB_MIN, Math.min(DEFAULT_MEMORY_MB, offer.maxMemoryMb)),
    max: offer.maxMemoryMb,
  },
})

/** Throws `NOT_OFFERED` for settings that this installation does not offer. */
export const checkOffered = (offer: Offer, wanted: Partial<AgentSettings>): void => {
  if (wanted.image && !offer.images.includes(wanted.image))
    throw new AppError('NOT_OFFERED', `This image is not offered here. Offered: ${offer.images.join(', ')}.`)
  if (wanted.cpus !== undefined && wanted.cpus > offer.maxCpus)
    throw new AppError('NOT_OFFERED', `An agent may have at most ${offer.maxCpus} CPUs here.`)
  if (wanted.memoryMb !== undefined && wanted.memoryMb > offer.maxMemoryMb)
    throw new AppError('NOT_OFFERED', `An agent may have at most ${offer.maxMemoryMb} MiB of memory here.`)
}
