/**
 * A container's settings as the engine reports them, without those that differ between containers, images or machines.
 */
import type Docker from 'dockerode'

/** Settings that the engine invents for each container. */
const OF_THIS_CONTAINER = [
  'Id',
  'Created',
  'State',
  'Image',
  'ResolvConfPath',
  'HostnamePath',
  'HostsPath',
  'LogPath',
  'GraphDriver',
  'SizeRw',
  'SizeRootFs',
]
/** Settings that depend on the engine's version and set-up, and give the container no power. */
const OF_THIS_ENGINE = ['Platform', 'Driver', 'ConsoleSize', 'ExecIDs']
/**
 * Powers that depend on the engine's set-up. They are listed only if they differ from those of a container that asks
 * for nothing.
 */
const AS_ANY = ['AppArmorProfile', 'CgroupnsMode', 'Runtime']
/** Lists of which these values are the least that they must contain. Newer engines hide more paths. */
const AT_LEAST: Record<string, readonly string[]> = {
  MaskedPaths: ['/proc/acpi', '/proc/kcore', '/proc/keys', '/proc/sched_debug', '/proc/timer_list', '/sys/firmware'],
  ReadonlyPaths: ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'],
}

type Json = Record<string, unknown>

const powersOf = ({ HostConfig, ...rest }: Json): Json => {
  const all: Json = { ...rest, ...(HostConfig as Json) }
  return Object.fromEntries(AS_ANY.map((name) => [name, all[name]]))
}

/** The powers of a container of the same image that asks for nothing. The container is removed afterwards. */
const powersOfAny = async (docker: Docker, image: string, name: string): Promise<Json> => {
  const any = await docker.createContainer({ name, Image: image, Entrypoint: ['sleep', 'infinity'], Cmd: [] })
  try {
    await any.start()
    return powersOf((await any.inspect()) as unknown as Json)
  } finally {
    await any.remove({ force: true, v: true })
  }
}

/** Every setting that has a value, as text in a fixed order. `<…>` stands for values that vary. */
export const goldenOf = async (docker: Docker, name: string, replace: Readonly<Record<string, string>>) => {
  const found = (await docker.getContainer(name).inspect()) as unknown as Json & { Image: string; Config: Json }
  const { Config: image } = await docker.getImage(found.Image).inspect()
  const { Config, NetworkSettings, ...rest } = found
  const usual = await powersOfAny(docker, found.Image, `${name}-any`)
  const unusual = Object.entries(powersOf(found)).filter(([power, value]) => value !== usual[power])
  const ofImage = new Set(image.Env)
  const config = {
    ...Config,
    Env: (Config['Env'] as string[]).filter((entry) => !ofImage.has(entry)),
    Labels: Object.fromEntries(
      Object.entries(Config['Labels'] as Json).filter(([label]) => !(label in ((image.Labels as Json | null) ?? {}))),
    ),
  }
  const { Networks, Ports } = NetworkSettings as { Networks: Json; Ports: Json }
  const own = Object.entries(rest).filter(([name]) => !OF_THIS_CONTAINER.includes(name))
  const golden = tidy({
    ...Object.fromEntries(own.filter(([name]) => !AS_ANY.includes(name))),
    HostConfig: Object.fromEntries(
      Object.entries(found['HostConfig'] as Json).filter(([name]) => !AS_ANY.includes(name)),
    ),
    Unusual: Object.fromEntries(unusual),
    Config: config,
    NetworkSettings: { Networks: Object.keys(Networks), Ports },
  })
  const text = JSON.stringify(golden, null, 2)
  return `${Object.entries(replace).reduce((all, [value, token]) => all.replaceAll(value, token), text)}\n`
}

const tidy = (value: unknown, key = ''): unknown => {
  if (Array.isArray(value)) {
    const least = AT_LEAST[key]
    if (!least) return value.map((one) => tidy(one))
    return least.filter((path) => !value.includes(path)).length === 0 ? `at least ${least.join(' ')}` : value
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value as Json)
      .filter(([name, one]) => !OF_THIS_ENGINE.includes(name) && isSet(one))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, one]) => [name, tidy(one, name)]),
  )
}

/** Whether a setting has a value. The engine takes zero, empty and null for "not given". */
const isSet = (value: unknown): boolean => {
  if (Array.isArray(value)) return value.length > 0
  if (typeof value === 'object' && value !== null) return Object.values(value).some(isSet)
  return Boolean(value)
}
