/** Agents: what each is, begins with and runs, and how it is reached. */
export { AGENT_HOME, AGENT_NAME_PATTERN, AgentName, Runtime, MODEL_PATTERN, Model } from './names.ts'
export {
  MEMORY_MB_MIN,
  AgentSettings,
  AGENT_DEFAULTS,
  settingsOf,
  UpdateAgent,
  UpdateSystemAgent,
  AgentOptions,
} from './settings.ts'
export {
  AgentBranch,
  AgentDisk,
  AgentState,
  STATE_NOT_KNOWN,
  StateReason,
  Relation,
  Agent,
  Share,
  CreateShare,
} from './agents.ts'
export { AGENT_TEMPLATES_MAX, AgentTemplate, SetAgentTemplate } from './templates.ts'
export {
  REPOSITORY_URL_MAX,
  REPOSITORY_FOLDER_PATTERN,
  SETUP_COMMAND_MAX,
  PREPARATION_OUTPUT_MAX,
  CreateAgent,
  AgentRepository,
  SetupCommand,
  AgentTemplateName,
  DEVCONTAINER_WISHES,
  FirstTask,
  DevcontainerOffer,
  ConfirmPreparation,
  PREPARATION_STATES,
  type PreparationState,
  Preparation,
  AgentPreparation,
} from './preparation.ts'
export {
  VARIABLES_MAX,
  VARIABLE_VALUE_MAX,
  VARIABLES_BYTES,
  VARIABLE_NAME_MAX,
  VARIABLE_NAME_PATTERN,
  VariableName,
  SetVariable,
  AgentVariable,
} from './variables.ts'
export { AgentTools, SetAgentTools } from './tools.ts'
export {
  EXEC_TIMEOUT_SECONDS_DEFAULT,
  EXEC_TIMEOUT_SECONDS_MAX,
  EXEC_OUTPUT_BYTES,
  EXEC_STDIN_MAX,
  EXECS_PER_USER,
  ExecBody,
  ExecResult,
} from './exec.ts'
export {
  AgentPort,
  AgentPorts,
  OpenPort,
  PORT_PATH_MAX,
  PORTS_MAX,
  PortTicket,
  PORT_LINK_PREFIX,
  PORT_LINKS_MAX,
  PORT_LINK_MINUTES_DEFAULT,
  CreatePortLink,
  PortLink,
  CreatedPortLink,
  PortLinks,
  OpenPortLink,
} from './ports.ts'
export { AgentProcess } from './processes.ts'
export { AgentStats, StatsSpan, AgentStatsHistory } from './stats.ts'
export { AgentEventKind, LogEntry, LOG_TAIL_MAX, LOG_TAIL_DEFAULT, LOG_HEARTBEAT_MS } from './logs.ts'
export { SystemWarning } from './warnings.ts'
