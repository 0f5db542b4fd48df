import { describe, expect, it } from 'vitest'
import { IMAGE, useEngine } from '../../../../test/support/engine/engine.ts'
import { newSpec } from '../../../../test/conformance/subject.ts'
import { fingerprint, namesFor } from './profile.ts'

const { docker, runtime, namespace } = useEngine()
const names = namesFor(namespace)

describe('an agent’s container', () => {
  it('is made with exactly this power, and no more', async () => {
    const spec = newSpec(IMAGE, { ownerId: '0192f0c1-0000-7000-8000-000000000001', cpus: 1.5, memoryMb: 300 })
    const { id, fingerprint } = await runtime.launch(spec)
    const { Name, Config, HostConfig, Mounts, NetworkSettings } = await docker.getContainer(id).inspect()

    expect(Name).toBe(`/${namespace}-agent-${spec.agentName}`)
    expect(Config).toMatchObject({
      Hostname: spec.agentName,
      User: '1000:1000',
      WorkingDir: '/home/developer',
      Entrypoint: ['sleep', 'infinity'],
      Healthcheck: { Test: ['NONE'] },
      StopSignal: 'SIGTERM',
      Tty: false,
      OpenStdin: false,
    })
    for (const absent of [Config.Cmd, Config.ExposedPorts, Config.Volumes]) expect(isSet(absent)).toBe(false)
    const labels = Object.entries(Config.Labels).filter(([name]) => name.startsWith(`${namespace}.`))
    expect(Object.fromEntries(labels)).toEqual({
      [`${namespace}.managed`]: 'true',
      [`${namespace}.agent`]: spec.agentId,
      [`${namespace}.owner`]: spec.ownerId,
      [`${namespace}.system`]: 'false',
      [`${namespace}.fingerprint`]: fingerprint,
    })

    // This includes the engine's defaults: each unexpected setting could widen an agent's rights.
    const set = Object.entries(HostConfig).filter(([, value]) => isSet(value))
    const { Ulimits, ...rest } = Object.fromEntries(set)
    expect(rest).toEqual({
      CapDrop: ['ALL'],
      CgroupnsMode: expect.stringMatching(/^(host|private)$/) as string,
      ConsoleSize: [0, 0],
      Init: true,
      IpcMode: 'private',
      LogConfig: { Type: 'json-file', Config: { 'max-file': '3', 'max-size': '10m' } },
      MaskedPaths: expect.arrayContaining(['/proc/kcore', '/proc/keys', '/sys/firmware']) as string[],
      Memory: 300 * 2 ** 20,
      MemorySwap: 300 * 2 ** 20,
      Mounts: [{ Type: 'volume', Source: `${namespace}-agent-${spec.agentName}-home`, Target: '/home/developer' }],
      NanoCpus: 1.5e9,
      NetworkMode: `${namespace}-agents`,
      OomScoreAdj: 500,
      PidsLimit: 512,
      ReadonlyPaths: expect.arrayContaining(['/proc/sys', '/proc/sysrq-trigger']) as string[],
      RestartPolicy: { Name: 'no', MaximumRetryCount: 0 },
      Runtime: expect.any(String) as string,
      SecurityOpt: ['no-new-privileges'],
      ShmSize: 2 ** 30,
    })
    // If the engine itself may not have as many open files, its own limit applies.
    const wanted = [{ Name: 'nofile', Soft: 65_536, Hard: 65_536 }]
    expect([undefined, JSON.stringify(wanted)]).toContain(Ulimits && JSON.stringify(sorted(Ulimits, wanted)))

    expect(Mounts).toMatchObject([{ Type: 'volume', Name: names.home(spec.agentName), Destination: '/home/developer' }])
    expect(Object.keys(NetworkSettings.Networks)).toEqual([names.network])
    expect(Object.values(NetworkSettings.Ports).filter(Boolean)).toEqual([])
  })

  it('is known by the fingerprint of earlier versions where it has no user id of its own', () => {
    const spec = newSpec('image:tag', { cpus: 1.5, memoryMb: 300, uid: null })
    expect(fingerprint(namesFor('slipway'), spec)).toBe('d4cb9e298233c391')
    expect(fingerprint(namesFor('slipway'), { ...spec, uid: 50_000 })).not.toBe('d4cb9e298233c391')
  })

  it('has a gibibyte of shared memory', async () => {
    const { id } = await runtime.launch(newSpec(IMAGE))
    const { stdout } = await runtime.run(id, {
      argv: ['df', '--block-size=1', '--output=size', '/dev/shm'],
      timeoutMs: 60_000,
      maxOutputBytes: 1000,
    })
    expect(stdout.toString().trim().split(/\s+/).at(-1)).toBe(String(2 ** 30))
  })

  it('pays for its shared memory with its own', async () => {
    const { id } = await runtime.launch(newSpec(IMAGE, { memoryMb: 128 }))
    const { exitCode } = await runtime.run(id, {
      argv: ['dd', 'if=/dev/zero', 'of=/dev/shm/full', 'bs=1M', 'count=256'],
      timeoutMs: 60_000,
      maxOutputBytes: 1000,
    })
    expect(exitCode).toBe(137)
  })

  it('hangs on a network on which containers are kept apart', async () => {
    await runtime.launch(newSpec(IMAGE))
    expect(await docker.getNetwork(names.network).inspect()).toMatchObject({
      Driver: 'bridge',
      Attachable: false,
      EnableIPv6: false,
      Labels: { [`${namespace}.managed`]: 'true' },
      Options: { 'com.docker.network.bridge.enable_icc': 'false' },
      IPAM: { Config: [{ Subnet: expect.stringMatching(/^10\.2(0[89]|1[0-5])\.\d+\.0\/20$/) as string }] },
    })
  })

  it('has no power over the host from the inside', async () => {
    const { id } = await runtime.launch(newSpec(IMAGE))
    const script = 'grep -E "^(Cap|NoNewPrivs|Seccomp:)" /proc/self/status; ls /dev; ls /var/run/docker.sock; su -c id'
    const { stdout, stderr } = await runtime.run(id, {
      argv: ['sh', '-c', script],
      timeoutMs: 60_000,
      maxOutputBytes: 10_000,
    })
    const text = stdout.toString()
    for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
      expect(text).toContain(`${set}:\t${'0'.repeat(16)}`)
    expect(text).toContain('NoNewPrivs:\t1')
    expect(text).toContain('Seccomp:\t2')
    expect(text).not.toMatch(/^(mem|kmsg|sd[a-z]|nvme.*)$/m)
    expect(text).not.toContain('uid=0')
    expect(stderr.toString()).toContain('docker.sock')
  })
})

/** The engine reads zero, empty and null as "not given". */
function isSet(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0
  return Boolean(value)
}

/** The engine's response with its keys in the expected order. */
function sorted(actual: unknown, like: readonly Record<string, unknown>[]): unknown {
  const keys = Object.keys(like[0] ?? {})
  return (actual as Record<string, unknown>[]).map((one) => Object.fromEntries(keys.map((key) => [key, one[key]])))
}
