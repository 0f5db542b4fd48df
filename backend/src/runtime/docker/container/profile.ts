/** The settings of every agent's container. They are an allow-list, so that no input of a caller can widen them. */
import { createHash } from 'node:crypto'
import { AGENT_HOME } from '@slipway/protocol'
import type Docker from 'dockerode'
import type { ContainerSpec } from '../../port.ts'

/** The user id of agents without one of their own, as the project's images have it. */
const SHARED_UID = 1000
/** The group of every agent, and of what an image made for its user: the kernel counts by user, never by group. */
export const AGENT_GID = 1000

/** The user of all processes in an agent. An exec that names no user gets its container's. */
const userOf = ({ uid }: Pick<ContainerSpec, 'uid'>): string => `${uid ?? SHARED_UID}:${AGENT_GID}`

const MIB = 1024 * 1024
/**
 * Size of /dev/shm in bytes. Browsers and databases need more than the engine's 64 MiB. It counts as the agent's
 * memory.
 */
const SHARED_MEMORY = 1024 * MIB
/** Enough processes for builds, and far too few to harm the host. */
const PIDS_LIMIT = 512
/** Open files per process. Null instead: the engine's own limit, if the engine cannot give this one. */
export const OPEN_FILES = 65_536

/** Names and labels of one installation. The namespace separates installations on one engine. */
export interface Names {
  readonly network: string
  container(agentName: string): string
  home(agentName: string): string
  /** Of the short-lived container that gives the home to the agent's user. */
  homeGiver(agentName: string): string
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
  homeGiver: (agentName) => `${namespace}-giver-${agentName}`,
  label: {
    managed: `${namespace}.managed`,
    agent: `${namespace}.agent`,
    owner: `${namespace}.owner`,
    system: `${namespace}.system`,
    fingerprint: `${namespace}.fingerprint`,
  },
})

/** The engine's options for an agent's container. */
export const createOptions = (
  names: Names,
  spec: ContainerSpec,
  openFiles: number | null,
): Docker.ContainerCreateOptions => ({
  name: names.container(spec.agentName),
  Image: spec.image,
  // Replaces the image's own entry point, because terminals and tasks run by exec.
  Entrypoint: ['sleep', 'infinity'],
  Cmd: [],
  Hostname: spec.agentName,
  User: userOf(spec),
  WorkingDir: AGENT_HOME,
  Env: [`HOME=${AGENT_HOME}`, 'USER=developer'],
  // An image's own health check would run commands all day in every agent.
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

/**
 * Version of this profile. Increase it with each change: older containers are then created anew at their next start.
 */
const PROFILE_VERSION = 2

/**
 * Identifies the specification of a container. If it differs at a start, the container is created anew. Without a user id it is that of
 * earlier versions.
 */
export const fingerprint = (names: Names, { image, cpus, memoryMb, isSystem, uid }: ContainerSpec): string => {
  const all = [PROFILE_VERSION, names.network, image, cpus, memoryMb, isSystem, ...(uid === null ? [] : [uid])]
  return createHash('sha256').update(JSON.stringify(all)).digest('hex').slice(0, 16)
}
