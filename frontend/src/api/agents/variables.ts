import type { AgentVariable, SetVariable } from '@slipway/protocol'
import { agentPath } from './agents.ts'
import { http } from '../transport/client.ts'
import { listAll } from '../transport/pages.ts'

const variablesOf = (key: string): string => `${agentPath(key)}/variables`
const variablePath = (key: string, name: string): string => `${variablesOf(key)}/${encodeURIComponent(name)}`

/** The agent's variables in the order of their names. Those that are secret come without a value. */
export const listVariables = (key: string) => listAll<AgentVariable>(variablesOf(key))
export const setVariable = (key: string, name: string, body: SetVariable) =>
  http.request<AgentVariable>('PUT', variablePath(key, name), body)
export const removeVariable = (key: string, name: string) => http.send('DELETE', variablePath(key, name))
