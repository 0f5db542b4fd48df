import {
  AGENT_DEFAULTS,
  KEEP_SECONDS_DEFAULT,
  MEMORY_MB_MIN,
  MODEL_PATTERN,
  settingsOf as pickSettings,
  type Agent,
  type AgentOptions,
  type AgentSettings as Settings,
} from '@slipway/protocol'

/** An agent's settings as the forms edit them, where an empty text stands for none. */
export interface AgentSettings extends Omit<Settings, 'model' | 'image' | 'useCredentials' | 'useGitToken'> {
  model: string
  image: string
}

/** The settings of an agent, or for a new one the platform's defaults. */
export function settingsOf(options: AgentOptions, agent?: Agent): AgentSettings {
  const { useCredentials, useGitToken, ...settings } = {
    ...AGENT_DEFAULTS,
    runtime: options.runtimes[0]?.id ?? '',
    cpus: options.cpus.default,
    memoryMb: options.memoryMb.default,
    ...(agent && pickSettings(agent)),
  }
  return { ...settings, model: settings.model ?? '', image: settings.image ?? '' }
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

/** What is offered for how long a terminal waits, in seconds. */
const KEEP_STEPS = [0, KEEP_SECONDS_DEFAULT, 1_800, 7_200, 28_800, 86_400]

/** The same with their words, and with one that was set otherwise. */
export function keepSteps(present: number): { label: string; value: number }[] {
  const steps = [...new Set([...KEEP_STEPS, present])].sort((a, b) => a - b)
  return steps.map((value) => ({ value, label: value === 0 ? 'Do not keep' : inWords(value) }))
}

const inWords = (seconds: number): string => {
  if (seconds % 3_600 === 0) return seconds === 3_600 ? '1 hour' : `${seconds / 3_600} hours`
  if (seconds % 60 === 0) return seconds === 60 ? '1 minute' : `${seconds / 60} minutes`
  return `${seconds} s`
}

/** Steps of the memory choice, in MiB, up to what is offered. */
export function memorySteps(max: number): number[] {
  const steps = []
  for (let step = Math.max(512, MEMORY_MB_MIN); step < max; step *= 2) steps.push(step)
  return [...steps, max]
}
