/** The installation's own agent: created on the first start, never deleted, only for admins. */
import { AGENT_DEFAULTS } from '@slipway/protocol'
import type { NewId } from '../../../lib/ids.ts'
import { PLATFORM } from '../../audit/actor.ts'
import type { Audit } from '../../audit/audit.ts'
import { DEFAULT_RUNTIME } from '../../providers/catalogue.ts'
import type { Board } from '../state/board.ts'
import type { Lifecycle } from '../lifecycle/lifecycle.ts'
import type { SettingsOptions } from '../settings/limits.ts'
import { agentEvent } from '../recorded.ts'
import type { AgentRepository } from '../repository.ts'
import { SYSTEM_AGENT_NAME } from '../service.ts'

interface Parts {
  readonly audit: Pick<Audit, 'recordNow'>
  readonly repository: AgentRepository
  readonly board: Board
  readonly lifecycle: Lifecycle
  readonly newId: NewId
  readonly options: SettingsOptions
}

/**
 * Creates the agent and its container if either is missing, for example because the server was killed meanwhile. The
 * container starts in the background. A failure becomes its state, and Start tries again.
 */
export const ensureSystemAgent = async (parts: Parts): Promise<void> => {
  const { audit, repository, board, lifecycle, newId, options } = parts
  const existing = await repository.system()
  if (existing) {
    const { state, container } = board.get(existing.id)
    if (state !== 'stopped' || container) return
    await audit.recordNow({ actor: PLATFORM, action: 'agent.started', ...agentEvent(existing) })
    void lifecycle.start(existing)
    return
  }
  const fresh = {
    id: newId(),
    name: SYSTEM_AGENT_NAME,
    ownerId: null,
    isSystem: true,
    ...AGENT_DEFAULTS,
    runtime: DEFAULT_RUNTIME,
    skipPermissions: false,
    cpus: options.cpus.default,
    memoryMb: options.memoryMb.default,
    // It has more rights than any other agent, so its terminals are recorded unless an admin turns that off.
    record: true,
  }
  const row = await repository.create(fresh, PLATFORM)
  // Another backend on the same database created it first.
  if (!row) return
  board.add(row.id)
  void lifecycle.create(row)
}
