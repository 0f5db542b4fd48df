/** Facts about the engine and the disk. */
import type { EngineComponent } from '../../port.ts'
import type { Names } from '../container/profile.ts'

interface RawVersion {
  readonly Components?: readonly {
    readonly Name: string
    readonly Version: string
    readonly Details?: { readonly GitCommit?: string }
  }[]
}

/** Empty if the engine does not list its components. */
export const componentsOf = ({ Components = [] }: RawVersion): EngineComponent[] =>
  Components.map(({ Name, Version, Details }) => ({
    name: Name,
    version: Version,
    build: Details?.GitCommit ?? '',
  }))

type Labels = Readonly<Record<string, string>> | null

/** The fields of the engine's response that are used. */
export interface RawDiskUse {
  readonly Containers?: readonly { readonly Labels?: Labels; readonly SizeRw?: number }[] | null
  /** A size of -1 means that it was not measured. */
  readonly Volumes?:
    | readonly { readonly Labels?: Labels; readonly UsageData?: { readonly Size: number } | null }[]
    | null
}

/** Bytes by agent, for its containers and volumes. Only agents of this installation count. */
export const diskUseOf = ({ label }: Names, { Containers, Volumes }: RawDiskUse): Map<string, number> => {
  const parts = [
    ...(Containers ?? []).map(({ Labels, SizeRw }) => ({ Labels, bytes: SizeRw ?? 0 })),
    ...(Volumes ?? []).map(({ Labels, UsageData }) => ({ Labels, bytes: Math.max(0, UsageData?.Size ?? 0) })),
  ]
  const use = new Map<string, number>()
  for (const { Labels, bytes } of parts) {
    const agentId = Labels?.[label.managed] === 'true' ? Labels[label.agent] : undefined
    if (agentId !== undefined) use.set(agentId, (use.get(agentId) ?? 0) + bytes)
  }
  return use
}
