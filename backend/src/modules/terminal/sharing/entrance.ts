/** Checks a guest's link, or a user's access to the agent, and leads them to the session. */
import {
  CloseCode,
  LINK_NEEDS_SIGN_IN,
  LINK_REFUSED,
  type Relation,
  TERMINAL_MESSAGE,
  WatchFrame,
} from '@slipway/protocol'
import Value from 'typebox/value'
import { allows } from '../../access/policy.ts'
import { type AgentRow, relationOf } from '../../agents/rows.ts'
import { type Source, stranger } from '../../audit/actor.ts'
import type { Authenticator } from '../../identity/authenticate.ts'
import { actorOf, type Caller } from '../../identity/caller.ts'
import { isKeptFrom } from '../../sessions/claim.ts'
import { engineUnavailable, personalCredential } from '../../sessions/ending.ts'
import { AuthFrameError } from '../frames.ts'
import type { Entrance, Opened, TerminalDeps } from '../gate.ts'
import { pastEnding } from '../../sessions/records/past-session.ts'
import { RefusedError, refusedBy } from '../refused.ts'
import type { SessionRecords } from '../../sessions/records/records.ts'
import type { TerminalRegistry } from '../registry.ts'
import type { Viewer } from '../session/viewers/viewer.ts'
import { unrecorded } from '../starter.ts'
import type { ControlMove } from './company.ts'
import type { Links } from './links.ts'
import type { LinkRow } from './repository.ts'
import type { Watchers } from './watchers.ts'

export interface WatchDeps {
  readonly authenticator: Authenticator
  readonly registry: Pick<TerminalRegistry, 'bySession'>
  readonly links: Pick<Links, 'find' | 'watched'>
  readonly watchers: Pick<Watchers, 'arrive' | 'admit'>
  readonly records: Pick<SessionRecords, 'controlMoved' | 'find' | 'terminal'>
  readonly recovered: TerminalDeps['recovered']
  readonly agentById: (id: string) => Promise<AgentRow | null>
}

const refused = (): RefusedError => new RefusedError(CloseCode.FORBIDDEN, LINK_REFUSED)
const TOO_MANY = 'As many people watch this terminal as may. Try again later.'

/** What lets a person in. */
interface Way {
  readonly sessionId: string
  readonly session: { readonly agentId: string; readonly userId: string }
  /** Null: they have access to the agent. */
  readonly link: LinkRow | null
  readonly row: AgentRow
  /** Null: they have no relation to the agent, and come by a link for anyone. */
  readonly relation: Relation | null
}

export class WatchEntrance implements Entrance<WatchFrame> {
  readonly #deps: WatchDeps
  readonly #source: Source

  constructor(deps: WatchDeps, source: Source) {
    this.#deps = deps
    this.#source = source
  }

  read(text: string): WatchFrame {
    let frame: unknown
    try {
      frame = JSON.parse(text)
    } catch (error) {
      throw new AuthFrameError(TERMINAL_MESSAGE.invalidJson, { cause: error })
    }
    if ((frame as WatchFrame | null)?.type !== 'auth') throw new AuthFrameError(TERMINAL_MESSAGE.expectedAuth)
    if (!Value.Check(WatchFrame, frame) || (frame.link === undefined) === (frame.terminal === undefined))
      throw new AuthFrameError('Link required')
    return frame
  }

  async open(first: WatchFrame, viewer: Viewer): Promise<Opened> {
    const { registry, links, watchers, records, recovered } = this.#deps
    const arrival = watchers.arrive()
    const caller = await this.#whoIs(first)
    const way = first.link === undefined ? await this.#byAccess(first, caller) : await this.#byLink(first.link, caller)
    const { link, row, relation, session: of } = way
    // Not earlier: a person who may not see the session must not learn from a wait that it exists.
    await recovered(of.userId, row.id)
    const slot = registry.bySession(way.sessionId)
    if (!slot) throw await this.#isNotHere(way)
    if (caller && isKeptFrom(caller, slot)) throw refusedBy(personalCredential)
    // Sharing ends such terminals. This one began, or is ending, at the same moment.
    if (link === null && relation === 'sharee' && slot.personal) throw refused()
    const actor = caller ? actorOf(caller) : stranger(this.#source)
    await links.watched(actor, slot, link).catch((error: unknown) => Promise.reject(unrecorded(error)))
    if (slot.session.ending) throw await this.#isNotHere(way)
    const admission = watchers.admit({ slot, link, caller, row, relation, personal: false, viewer }, arrival)
    if (!admission) throw new RefusedError(CloseCode.SESSION_EXISTS, TOO_MANY)
    const name = caller?.email ?? `Guest ${admission.guest}`
    const person = {
      name,
      isHolder: false,
      mayControl: (link === null || link.access === 'control') && caller !== null,
      handsOver: (move: ControlMove) => records.controlMoved(actor, slot, move),
    }
    const { session } = slot
    const isSame = first.session === undefined || first.session === session.id
    if (!isSame) delete first.offset
    const take = (): void => {
      if (admission.ended) throw refusedBy(admission.ended)
    }
    const guest = { agentName: row.name, holder: slot.caller.email }
    return { session, resumed: true, person, guest, take, left: admission.left }
  }

  async #byLink(secret: string, caller: Caller | null): Promise<Way> {
    const { links, agentById } = this.#deps
    const link = await links.find(secret)
    // A guest who has not signed in learns only of links for anyone.
    if (!caller && link?.audience !== 'anyone') throw new RefusedError(CloseCode.UNAUTHENTICATED, LINK_NEEDS_SIGN_IN)
    const row = link && (await agentById(link.session.agentId))
    if (!link || !row || !mayGive(link, row)) throw refused()
    const relation = caller && relationOf(caller, row)
    const mayEnter = caller !== null && relation !== null && allows(caller, 'terminal.open', relation)
    if (link.audience === 'agent' && !mayEnter) throw refused()
    return { sessionId: link.sessionId, session: link.session, link, row, relation }
  }

  /** For a user who has access to the agent. A missing session and one that is not for them get the same answer. */
  async #byAccess({ terminal: sessionId }: WatchFrame, caller: Caller | null): Promise<Way> {
    const { records, agentById } = this.#deps
    if (!caller) throw new RefusedError(CloseCode.UNAUTHENTICATED, LINK_NEEDS_SIGN_IN)
    const session = sessionId === undefined ? null : await records.terminal(sessionId)
    const row = session && (await agentById(session.agentId))
    const relation = row && relationOf(caller, row)
    if (sessionId === undefined || !session || !row || !relation || !allows(caller, 'terminal.open', relation))
      throw refused()
    return { sessionId, session, link: null, row, relation }
  }

  /** If the session has not ended, it will be recovered, and its guests may reconnect. */
  async #isNotHere({ sessionId, session, row }: Way): Promise<RefusedError> {
    const ending = pastEnding(await this.#deps.records.find(sessionId, session), row.name)
    return ending === engineUnavailable ? refusedBy(ending) : refused()
  }

  async #whoIs({ token }: WatchFrame): Promise<Caller | null> {
    if (token === undefined) return null
    const caller = await this.#deps.authenticator.authenticate(token, this.#source)
    if (!caller || !allows(caller, 'terminal.open'))
      throw new RefusedError(CloseCode.UNAUTHENTICATED, TERMINAL_MESSAGE.invalidToken)
    return caller
  }
}

/** Whether the link's creator still has the right: the session's user, the agent's owner or an admin. */
const mayGive = ({ createdById, createdBy, session }: LinkRow, { ownerId }: AgentRow): boolean =>
  createdById === session.userId || createdById === ownerId || createdBy.role === 'admin'
