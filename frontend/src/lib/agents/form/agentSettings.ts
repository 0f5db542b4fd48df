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

/** An agent's settings as the forms edit them. An empty text stands for no value. */
export interface AgentSettings extends Omit<Settings, 'model' | 'image' | 'useCredentials' | 'useGitToken'> {
  model: string
  image: string
}

/** The settings of an agent, or the platform's defaults for a new one. */
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

/** The settings as the API takes them: an empty model or image becomes null. */
export function settingsBody<S extends Partial<AgentSettings>>(settings: S) {
  return {
    ...settings,
    ...('model' in settings && { model: settings.model?.trim() || null }),
    ...('image' in settings && { image: settings.image || null }),
  }
}

const modelPattern = new RegExp(MODEL_PATTERN)

/** Why the text is no valid model name, or null. Only the agent's program knows whether the model exists. */
export function modelProblem(model: string): string | null {
  const name = model.trim()
  return name === '' || modelPattern.test(name) ? null : 'A model name has letters, digits and ._:/@[]- only.'
}

/** Choices for how long a session waits for its user to reconnect, in seconds. */
const KEEP_STEPS = [0, KEEP_SECONDS_DEFAULT, 1_800, 7_200, 28_800, 86_400]

/** The choices with their labels. They include the present value, even if it is none of the defaults. */
export function keepSteps(present: number): { label: string; value: number }[] {
  const steps = [...new Set([...KEEP_STEPS, present])].sort((a, b) => a - b)
  return steps.map((value) => ({ value, label: value === 0 ? 'Do not keep' : inWords(value) }))
}

const inWords = (seconds: number): string => {
  if (seconds % 3_600 === 0) return seconds === 3_600 ? '1 hour' : `${seconds / 3_600} hours`
  if (seconds % 60 === 0) return seconds === 60 ? '1 minute' : `${seconds / 60} minutes`
  return `${seconds} s`
}

/** Choices for the memory limit, in MiB, up to the platform's maximum. */
export function memorySteps(max: number): number[] {
  const steps = []
  for (let step = Math.max(512, MEMORY_MB_MIN); step < max; step *= 2) steps.push(step)
  return [...steps, max]
}
