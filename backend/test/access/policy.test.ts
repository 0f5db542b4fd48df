import { NOWHERE } from '../support/people/callers.ts'
import { SCOPES, type Role, type Scope } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { ACTIONS, allows, standingOf, type Action, type Standing } from '../../src/modules/access/policy.ts'
import type { Caller } from '../../src/modules/identity/caller.ts'

function caller(role: Role, scopes?: readonly Scope[]): Caller {
  const via = scopes
    ? ({ kind: 'api_token', tokenId: 't', scopes } as const)
    : ({ kind: 'sign_in', signInId: 's' } as const)
  return { userId: 'me', email: 'me@example.org', role, via, source: NOWHERE }
}

/** The policy, written a second time in words: the role or relation, and the scopes that a token needs. */
const EXPECTED: Record<
  Action,
  {
    who: string
    scope:
      | Scope
      | 'any'
      | 'none'
      | 'agents:write terminal'
      | 'tasks:write terminal'
      | 'agents:read|tasks:read'
      | 'tasks:read tasks:write'
  }
> = {
  'account.view': { who: 'admin user', scope: 'any' },
  'account.change': { who: 'admin user', scope: 'none' },
  'account.preferences': { who: 'admin user', scope: 'none' },
  'account.channels': { who: 'admin user', scope: 'none' },
  'sign_ins.manage': { who: 'admin user', scope: 'none' },
  'account.credentials': { who: 'admin user', scope: 'none' },
  'tokens.manage': { who: 'admin user', scope: 'none' },
  'ssh_keys.manage': { who: 'admin user', scope: 'none' },
  'users.list': { who: 'admin', scope: 'users:admin' },
  'users.manage': { who: 'admin', scope: 'users:admin' },
  'agents.list': { who: 'admin user', scope: 'agents:read' },
  'agents.create': { who: 'admin user', scope: 'agents:write' },
  'agents.templates': { who: 'admin', scope: 'none' },
  'agent.view': { who: 'owner admin sharee', scope: 'agents:read' },
  'agent.processes': { who: 'owner admin sharee', scope: 'agents:read' },
  'agent.use': { who: 'owner admin sharee', scope: 'agents:write' },
  'agent.manage': { who: 'owner admin', scope: 'agents:write' },
  'agent.trust': { who: 'owner', scope: 'none' },
  'agent.tools': { who: 'owner', scope: 'none' },
  'agent.prepare': { who: 'owner admin', scope: 'agents:write terminal' },
  'agent.share': { who: 'owner admin', scope: 'agents:write terminal' },
  'agent.files': { who: 'owner admin sharee', scope: 'terminal' },
  'system.files': { who: 'admin', scope: 'terminal' },
  'agent.credentials': { who: 'owner admin', scope: 'agents:write' },
  'agent.gateway': { who: 'owner admin', scope: 'agents:write terminal' },
  'agent.variables': { who: 'owner admin', scope: 'agents:write terminal' },
  'terminal.open': { who: 'owner admin sharee', scope: 'terminal' },
  'tasks.list': { who: 'admin user', scope: 'tasks:read' },
  'task.start': { who: 'owner admin sharee', scope: 'tasks:write' },
  'task.view': { who: 'owner admin sharee', scope: 'tasks:read' },
  'task.end': { who: 'owner admin sharee', scope: 'tasks:write' },
  'task.archive': { who: 'owner admin sharee', scope: 'tasks:write' },
  'task.terminal': { who: 'owner admin sharee', scope: 'tasks:write terminal' },
  'dashboard.view': { who: 'admin user', scope: 'tasks:read' },
  'dashboard.mark': { who: 'admin user', scope: 'tasks:write' },
  'dialogs.list': { who: 'admin user', scope: 'tasks:read' },
  'dialog.view': { who: 'owner admin sharee', scope: 'tasks:read' },
  'dialog.ask': { who: 'owner admin sharee', scope: 'tasks:write' },
  'dialog.answer': { who: 'owner admin sharee', scope: 'tasks:write' },
  'task.input': { who: 'owner admin sharee', scope: 'tasks:write' },
  'task.validate': { who: 'owner admin sharee', scope: 'tasks:write terminal' },
  'conversations.list': { who: 'admin user', scope: 'tasks:read' },
  'conversation.view': { who: 'owner admin sharee', scope: 'tasks:read' },
  'conversation.write': { who: 'owner admin sharee', scope: 'tasks:write' },
  'task.discard': { who: 'owner admin sharee', scope: 'tasks:write terminal' },
  'task.publish': { who: 'owner admin sharee', scope: 'tasks:write terminal' },
  'tools.use': { who: 'admin user', scope: 'tasks:read' },
  'usage.view': { who: 'admin user', scope: 'tasks:read' },
  'budgets.manage': { who: 'admin', scope: 'none' },
  'providers.list': { who: 'admin user', scope: 'tasks:read' },
  'providers.manage': { who: 'admin user', scope: 'tasks:write' },
  'schedules.list': { who: 'admin user', scope: 'tasks:read' },
  'schedules.manage': { who: 'admin user', scope: 'tasks:write' },
  'webhooks.list': { who: 'admin user', scope: 'tasks:read' },
  'webhooks.manage': { who: 'admin user', scope: 'tasks:read tasks:write' },
  'webhooks.platform': { who: 'admin', scope: 'none' },
  'skills.list': { who: 'admin user', scope: 'tasks:read' },
  'skills.manage': { who: 'admin user', scope: 'tasks:write' },
  'skills.platform': { who: 'admin', scope: 'none' },
  'templates.list': { who: 'admin user', scope: 'tasks:read' },
  'templates.manage': { who: 'admin user', scope: 'tasks:write' },
  'templates.platform': { who: 'admin', scope: 'none' },
  'rules.list': { who: 'admin user', scope: 'tasks:read' },
  'rules.manage': { who: 'admin user', scope: 'tasks:write' },
  'rules.platform': { who: 'admin', scope: 'none' },
  'recordings.view': { who: 'owner admin sharee', scope: 'terminal' },
  'recordings.manage': { who: 'owner admin', scope: 'agents:write' },
  'recordings.share': { who: 'owner admin', scope: 'agents:write terminal' },
  'terminal.share': { who: 'owner admin sharee', scope: 'terminal' },
  'terminal.publish': { who: 'owner admin', scope: 'terminal' },
  'system.view': { who: 'admin', scope: 'agents:read' },
  'system.manage': { who: 'admin', scope: 'agents:write' },
  'system.credentials': { who: 'admin', scope: 'none' },
  'system.terminal': { who: 'admin', scope: 'terminal' },
  'platform.credentials': { who: 'admin', scope: 'none' },
  'events.listen': { who: 'admin user', scope: 'agents:read|tasks:read' },
  'audit.read': { who: 'admin', scope: 'none' },
  'metrics.read': { who: 'admin', scope: 'metrics:read' },
}
const RELATIONS: readonly Standing[] = ['owner', 'admin', 'sharee', 'none']
const aboutAgent = (action: Action) => /^agent\.|^terminal|^recordings|^task\.|^dialog\.|^conversation\./.test(action)

describe('the policy', () => {
  it.each(ACTIONS)('gives %s to exactly those it is for', (action) => {
    const who = EXPECTED[action].who.split(' ')
    if (aboutAgent(action)) {
      const allowed = RELATIONS.filter((relation) => allows(caller('user'), action, relation))
      expect(allowed).toEqual(RELATIONS.filter((relation) => who.includes(relation)))
    } else {
      expect(allows(caller('admin'), action)).toBe(who.includes('admin'))
      expect(allows(caller('user'), action)).toBe(who.includes('user'))
    }
  })

  it.each(ACTIONS)('lets a token do %s with the scope for it and no other', (action) => {
    const { scope } = EXPECTED[action]
    const enough = scope.split('|')
    const needed = enough.length > 1 ? [] : scope.split(' ')
    for (const one of SCOPES) {
      expect(allows(caller('admin', [one]), action, 'owner')).toBe(scope === 'any' || enough.includes(one))
      const others = SCOPES.filter((other) => other !== one)
      expect(allows(caller('admin', others), action, 'owner')).toBe(scope !== 'none' && !needed.includes(one))
    }
    expect(allows(caller('admin', []), action, 'owner')).toBe(scope === 'any')
  })

  it('says "go and look" about an agent that is not known yet, as far as the scope allows', () => {
    expect(allows(caller('user'), 'agent.manage')).toBe(true)
    expect(allows(caller('user', ['agents:read']), 'agent.manage')).toBe(false)
  })
})

describe('the relation to an agent', () => {
  it.each([
    ['user', 'me', false, 'owner'],
    ['admin', 'me', false, 'owner'],
    ['admin', 'other', true, 'admin'],
    ['admin', null, false, 'admin'],
    ['user', 'other', true, 'sharee'],
    ['user', 'other', false, 'none'],
    ['user', null, false, 'none'],
  ] as const)('of %s, owned by %s, shared %s, is %s', (role, ownerId, isShared, relation) => {
    expect(standingOf(caller(role), { ownerId, isShared })).toBe(relation)
  })
})
