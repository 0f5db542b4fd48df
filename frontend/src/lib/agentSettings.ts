import { MEMORY_MB_MIN, MODEL_PATTERN, type Agent, type AgentOptions } from '@slipway/protocol'

/** An agent's settings as the forms edit them. */
export interface AgentSettings {
  runtime: string
  model: string
  skipPermissions: boolean
  /** Empty stands for the platform's default image. */
  image: string
  cpus: number
  memoryMb: number
}

/** The settings of an agent, or for a new one the platform's defaults. */
export function settingsOf(options: AgentOptions, agent?: Agent): AgentSettings {
  return {
    runtime: agent?.runtime ?? options.runtimes[0]?.id ?? 'claude-code',
    model: agent?.model ?? '',
    skipPermissions: agent?.skipPermissions ?? true,
    image: agent?.image ?? '',
    cpus: agent?.cpus ?? options.cpus.default,
    memoryMb: agent?.memoryMb ?? options.memoryMb.default,
  }
}

/** The same as the API takes them, where an empty text is nothing. */
export function settingsBody<S extends Partial<AgentSettings>>(settings: S) {
  return {
    ...settings,
    ...('model' in settings && { model: settings.model?.trim() || null }),
    ...('image' in settings && { image: settings.image || null }),
  }
}

/** Those settings of `next` that differ from `before`. */
export function changedSettings(before: AgentSettings, next: AgentSettings): Partial<AgentSettings> {
  const keys = Object.keys(before) as (keyof AgentSettings)[]
  return Object.fromEntries(keys.filter((key) => before[key] !== next[key]).map((key) => [key, next[key]]))
}

const modelPattern = new RegExp(MODEL_PATTERN)

/** What is wrong with a model's name, or null. Whether it exists, only its program knows. */
export function modelProblem(model: string): string | null {
  const name = model.trim()
  return name === '' || modelPattern.test(name) ? null : 'A model name has letters, digits and ._:/@[]- only.'
}

/** Steps of the memory choice, in MiB, up to what is offered. */
export function memorySteps(max: number): number[] {
  const steps = []
  for (let step = Math.max(512, MEMORY_MB_MIN); step < max; step *= 2) steps.push(step)
  return [...steps, max]
}
