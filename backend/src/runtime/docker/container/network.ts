/** The agents' network: one bridge on which containers cannot reach each other. */
import { createHash } from 'node:crypto'
import type Docker from 'dockerode'
import { RuntimeError } from '../../errors.ts'
import { toRuntimeError } from '../errors.ts'
import type { Names } from './profile.ts'
import { DEFAULT_POOL, parseSubnet, printSubnet, slicesOf, subnetsInUse } from './subnets.ts'

const NO_ICC = { 'com.docker.network.bridge.enable_icc': 'false' }

/** The agents' network of this installation. */
export class AgentNetwork {
  readonly #docker: Docker
  readonly #names: Names
  readonly #pool: string
  /** The pending check for the network. Two checks at once could create two networks of one name. */
  #ensuring: Promise<void> | null = null
  #subnets: readonly string[]

  /** `pool` is the range from which its subnet is taken, as "address/prefix". */
  constructor(docker: Docker, names: Names, pool = DEFAULT_POOL) {
    this.#docker = docker
    this.#names = names
    this.#pool = pool
    this.#subnets = [pool]
  }

  /** The subnets from which agents connect. Until the engine has told, this is the whole pool. */
  get subnets(): readonly string[] {
    return this.#subnets
  }

  /**
   * Creates the network if it does not exist. Throws `name_taken` if a network of that name is not ours: agents might
   * reach each other on it.
   */
  ensure(): Promise<void> {
    this.#ensuring ??= this.#ensure().finally(() => {
      this.#ensuring = null
    })
    return this.#ensuring
  }

  /** Asks the engine for {@link subnets} again. If it does not respond, they stay as they were. */
  async refresh(): Promise<void> {
    const { label } = this.#names
    const ours = await this.#docker.listNetworks({ filters: { label: [`${label.managed}=true`] } }).catch(() => null)
    if (ours) this.#subnets = ours.flatMap(subnetsOf)
  }

  async #ensure(): Promise<void> {
    const { network, label } = this.#names
    const found = await this.#docker.listNetworks({ filters: { name: [network] } })
    const existing = found.find(({ Name }) => Name === network)
    if (existing) {
      const isOurs = existing.Labels?.[label.managed] === 'true'
      const isApart = Object.entries(NO_ICC).every(([option, value]) => existing.Options?.[option] === value)
      if (!isOurs || !isApart) throw new RuntimeError('name_taken', `a network named ${network} exists already`)
    } else await this.#make()
    await this.refresh()
  }

  async #make(): Promise<void> {
    const { network, label } = this.#names
    const pool = parseSubnet(this.#pool)
    if (!pool) throw new RuntimeError('engine_error', `${this.#pool} is no subnet`)
    // Each installation starts elsewhere, so that two on different engines rarely collide.
    const start = createHash('sha256').update(network).digest().readUInt32BE(0)
    const slices = slicesOf(pool, start, subnetsInUse())
    for (const [index, slice] of slices.entries())
      try {
        await this.#docker.createNetwork({
          Name: network,
          Driver: 'bridge',
          CheckDuplicate: true,
          IPAM: { Config: [{ Subnet: printSubnet(slice) }] },
          Options: NO_ICC,
          Labels: { [label.managed]: 'true' },
        })
        return
      } catch (error) {
        const { message } = toRuntimeError(error)
        if (/already exists/i.test(message)) return
        if (!/overlap/i.test(message) || index === slices.length - 1) throw error
      }
  }
}

const subnetsOf = ({ IPAM }: Docker.NetworkInspectInfo): string[] =>
  (IPAM?.Config ?? []).flatMap(({ Subnet }) => (Subnet === undefined ? [] : [Subnet]))
