import type { AgentTemplate, SetAgentTemplate } from '@slipway/protocol'
import { repositoryName } from './beginning.ts'
import { variableNameProblem } from './variables.ts'

type Variables = SetAgentTemplate['variables']

/** Variables as lines of `NAME=value`. */
export const variableLines = (variables: Variables): string =>
  variables.map(({ name, value }) => `${name}=${value}`).join('\n')

/** The variables that the lines name. */
export const variablesIn = (lines: string): Variables =>
  lines
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const at = line.indexOf('=')
      return at < 0 ? { name: line.trim(), value: '' } : { name: line.slice(0, at).trim(), value: line.slice(at + 1) }
    })

/** What is wrong with the lines, or null. */
export function variablesProblem(lines: string): string | null {
  const variables = variablesIn(lines)
  for (const [at, { name }] of variables.entries()) {
    const problem = variableNameProblem(
      name,
      variables.slice(0, at).map((before) => before.name),
    )
    if (problem !== null) return `${name}: ${problem}`
  }
  return null
}

/** What it begins with, in a few words. */
export const templateText = ({ description, repository, settings }: AgentTemplate): string =>
  description || [repository && repositoryName(repository.url), settings.runtime].filter(Boolean).join(' · ')
