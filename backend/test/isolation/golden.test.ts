import type { Agent } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { namesFor } from '../../src/runtime/docker/container/profile.ts'
import { IMAGE, useEngine } from '../support/engine/engine.ts'
import { goldenOf } from '../support/engine/golden.ts'
import { as, newAgent, systemAgentSettled, useTeam } from '../support/people/team.ts'

const { docker, runtime, namespace } = useEngine()
const team = useTeam({ runtime, config: { namespace, images: [IMAGE], maxCpus: 2, maxMemoryMb: 4096 } })
const owner = (...request: Parameters<ReturnType<typeof as>>) => as(team(), team().owner)(...request)
const admin = (...request: Parameters<ReturnType<typeof as>>) => as(team(), team().admin)(...request)
/** The limit, written a second time: a comparison with the profile's own constant would always succeed. */
const OPEN_FILES = 65_536

const golden = async ({ id, name }: Agent): Promise<string> => {
  const container = namesFor(namespace).container(name)
  const { Config, Mounts } = await docker.getContainer(container).inspect()
  const user = /^(5\d{4}):1000$/.exec(Config.User)
  const fingerprint = Config.Labels[`${namespace}.fingerprint`] ?? ''
  const text = await goldenOf(docker, container, {
    [Mounts[0]?.Source ?? '?']: '<volume>',
    [namespace]: '<namespace>',
    [IMAGE]: '<image>',
    [id]: '<agent>',
    [team().owner.id]: '<owner>',
    [fingerprint]: '<fingerprint>',
    [user?.[0] ?? '?']: '<uid>:1000',
  })
  return withoutUlimits(text, container)
}
/** If the engine itself may not have so many open files, its own lower limit applies. */
const withoutUlimits = async (text: string, name: string): Promise<string> => {
  const container = JSON.parse(text) as { HostConfig: { Ulimits?: unknown } }
  const { Ulimits } = container.HostConfig
  if (Ulimits === undefined) {
    const limit = { argv: ['sh', '-c', 'ulimit -Hn'], timeoutMs: 10_000, maxOutputBytes: 100 }
    const { stdout } = await runtime.run((await docker.getContainer(name).inspect()).Id, limit)
    expect(Number(stdout.toString())).toBeLessThan(OPEN_FILES)
  } else expect(Ulimits).toEqual([{ Name: 'nofile', Soft: OPEN_FILES, Hard: OPEN_FILES }])
  delete container.HostConfig.Ulimits
  return `${JSON.stringify(container, null, 2)}\n`
}

/** Fields that Docker accepts for a container, and columns of the database. A caller may set none of them. */
const FOREIGN_FIELDS: object[] = [
  ...['Privileged', 'privileged', 'ReadonlyRootfs', 'PublishAllPorts', 'AutoRemove', 'Init', 'OomKillDisable'].map(
    (name) => ({ [name]: true }),
  ),
  ...[
    'Binds',
    'binds',
    'CapAdd',
    'capAdd',
    'Devices',
    'DeviceRequests',
    'SecurityOpt',
    'GroupAdd',
    'VolumesFrom',
    'Links',
  ].map((name) => ({ [name]: ['ALL'] })),
  ...[
    'NetworkMode',
    'PidMode',
    'IpcMode',
    'UTSMode',
    'UsernsMode',
    'CgroupnsMode',
    'CgroupParent',
    'Runtime',
    'Isolation',
  ].map((name) => ({ [name]: 'host' })),
  ...[
    'User',
    'WorkingDir',
    'cwd',
    'workingDir',
    'Hostname',
    'Entrypoint',
    'entrypoint',
    'Cmd',
    'command',
    'StopSignal',
  ].map((name) => ({ [name]: '/proc/self/fd/7' })),
  ...[
    'Mounts',
    'PortBindings',
    'ExposedPorts',
    'Sysctls',
    'Tmpfs',
    'Ulimits',
    'Labels',
    'labels',
    'LogConfig',
    'HostConfig',
  ].map((name) => ({ [name]: { '/': '/host' } })),
  { HostConfig: { Privileged: true, Binds: ['/:/host'] } },
  { NetworkingConfig: { EndpointsConfig: { host: {} } } },
  { Env: ['LD_PRELOAD=/x'] },
  { env: { A: 'b' } },
  ...['id', 'ownerId', 'owner', 'isSystem', 'role', 'state', 'createdAt', 'relation', 'sharedWith', 'uid'].map(
    (name) => ({
      [name]: 'x',
    }),
  ),
]

describe('container to host: socket, privileged, binds, capabilities: inspect', () => {
  it('of an owner’s agent equals the golden file', async () => {
    const agent = (await owner('POST /agents?wait=true', newAgent('golden'))).json<Agent>()
    await expect(await golden(agent)).toMatchFileSnapshot('golden/owner-agent.json')
  })

  it('of the system agent equals the golden file', async () => {
    const agent = await systemAgentSettled(team())
    await expect(await golden(agent)).toMatchFileSnapshot('golden/system-agent.json')
  })

  it('does not change with a caller’s fields: every unknown field is 400, in a creation and in a change', async () => {
    for (const field of FOREIGN_FIELDS) {
      const created = await owner('POST /agents', { ...newAgent('more'), ...field })
      expect({ field, ...created.json<object>() }).toMatchObject({ field, statusCode: 400, code: 'VALIDATION' })
      const changed = await owner('PATCH /agents/golden', field)
      expect({ field, ...changed.json<object>() }).toMatchObject({ field, statusCode: 400, code: 'VALIDATION' })
      const asAdmin = await admin('POST /agents', { ...newAgent('more'), ...field })
      expect(asAdmin.statusCode).toBe(400)
    }
    expect((await owner('GET /agents/more')).statusCode).toBe(404)
    expect((await owner('POST /agents/golden/restart?wait=true')).json()).toMatchObject({ state: 'running' })
    const agent = (await owner('GET /agents/golden')).json<Agent>()
    await expect(await golden(agent)).toMatchFileSnapshot('golden/owner-agent.json')
  })
})
