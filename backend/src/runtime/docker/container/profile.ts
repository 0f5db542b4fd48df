/** What every agent's container is made of: an allow-list, so that nothing a caller sends can widen it. */
import { createHash } from 'node:crypto'
import { AGENT_HOME } from '@slipway/protocol'
import type Docker from 'dockerode'
import type { ContainerSpec } from '../../port.ts'

/** The user that everything in an agent runs as. */
export const AGENT_USER = '1000:1000'

const MIB = 1024 * 1024
/** Size of /dev/shm in bytes, for browsers and databases, which need more than the engine's 64 MiB. What is in it counts as the agent's memory. */
const SHARED_MEMORY = 1024 * MIB
/** Enough for builds, far below what would trouble the host. */
const PIDS_LIMIT = 512
/** Open files per process; null stands for the engine's own limit, where the engine cannot give this one. */
export const OPEN_FILES = 65_536

/** Names and labels of one installation; the namespace keeps two of them on one engine apart. */
export interface Names {
  readonly network: string
  container(agentName: string): string
  home(agentName: string): string
  readonly label: {
    readonly managed: string
    readonly agent: string
    readonly owner: string
    readonly system: string
    readonly fingerprint: string
  }
}

export const namesFor = (namespace: string): Names => ({
  network: `${namespace}-agents`,
  container: (agentName) => `${namespace}-agent-${agentName}`,
  home: (agentName) => `${namespace}-agent-${agentName}-home`,
  label: {
    managed: `${namespace}.managed`,
    agent: `${namespace}.agent`,
    owner: `${namespace}.owner`,
    system: `${namespace}.system`,
    fingerprint: `${namespace}.fingerprint`,
  },
})

/** The engine's create options for an agent. */
export const createOptions = (
  names: Names,
  spec: ContainerSpec,
  openFiles: number | null,
): Docker.ContainerCreateOptions => ({
  name: names.container(spec.agentName),
  Image: spec.image,
  // The same for every image, whatever its own entry point: terminals and tasks come by exec.
  Entrypoint: ['sleep', 'infinity'],
  Cmd: [],
  Hostname: spec.agentName,
  User: AGENT_USER,
  WorkingDir: AGENT_HOME,
  Env: [`HOME=${AGENT_HOME}`, 'USER=developer'],
  // The image's own health check would run commands all day in every agent.
  Healthcheck: { Test: ['NONE'] },
  StopSignal: 'SIGTERM',
  Labels: {
    [names.label.managed]: 'true',
    [names.label.agent]: spec.agentId,
    [names.label.owner]: spec.ownerId ?? '',
    [names.label.system]: String(spec.isSystem),
    [names.label.fingerprint]: fingerprint(names, spec),
  },
  HostConfig: {
    Init: true,
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges'],
    PidsLimit: PIDS_LIMIT,
    Memory: spec.memoryMb * MIB,
    MemorySwap: spec.memoryMb * MIB,
    NanoCpus: Math.round(spec.cpus * 1e9),
    Ulimits: openFiles === null ? [] : [{ Name: 'nofile', Soft: openFiles, Hard: openFiles }],
    LogConfig: { Type: 'json-file', Config: { 'max-size': '10m', 'max-file': '3' } },
    OomScoreAdj: 500,
    IpcMode: 'private',
    ShmSize: SHARED_MEMORY,
    NetworkMode: names.network,
    Mounts: [{ Type: 'volume', Source: names.home(spec.agentName), Target: AGENT_HOME }],
    RestartPolicy: { Name: 'no' },
  },
})

/** Version of the profile above: raised when it changes, so that agents made with an older one are made anew at their next start. */
const PROFILE_VERSION = 2

/** Names what a container was made from: a start compares it and makes the container anew when the settings changed. */
export const fingerprint = (names: Names, spec: ContainerSpec): string =>
  createHash('sha256')
    .update(JSON.stringify([PROFILE_VERSION, names.network, spec.image, spec.cpus, spec.memoryMb, spec.isSystem]))
    .digest('hex')
    .slice(0, 16)
