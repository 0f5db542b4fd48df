import type { AgentTemplate, SetAgentTemplate } from '@slipway/protocol'
import { repositoryName } from './beginning.ts'
import { variableNameProblem, variableValueProblem } from './variables.ts'

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

/** A secret variable in the form of a template. */
export interface SecretLine {
  readonly name: string
  /** Empty: one that is stored keeps its value. */
  readonly value: string
  readonly isStored: boolean
}

/** Those of a stored template. The server does not send their values. */
export const secretLines = (template: Pick<AgentTemplate, 'secretVariables'> | undefined): SecretLine[] =>
  (template?.secretVariables ?? []).map(({ name }) => ({ name, value: '', isStored: true }))

/** The same for a request. */
export const secretsIn = (lines: readonly SecretLine[]): NonNullable<SetAgentTemplate['secretVariables']> =>
  lines.map(({ name, value, isStored }) => (isStored && value === '' ? { name } : { name, value }))

/** What is wrong with each of them, or null. `taken`: the names of the plain variables. */
export const secretProblems = (
  lines: readonly SecretLine[],
  taken: readonly string[],
): { readonly name: string | null; readonly value: string | null }[] =>
  lines.map(({ name, value, isStored }, at) => ({
    name: isStored ? null : variableNameProblem(name, [...taken, ...lines.slice(0, at).map((before) => before.name)]),
    value: isStored && value === '' ? null : variableValueProblem(value, true),
  }))

/** What it begins with, in a few words. */
export const templateText = ({ description, repository, settings }: AgentTemplate): string =>
  description || [repository && repositoryName(repository.url), settings.runtime].filter(Boolean).join(' · ')
