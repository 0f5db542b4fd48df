/** What is reached without a route of the API: the host names of ports, and SSH. */
import type { Answer, Needs, Row } from './row.ts'

/** The address, the scope that a token needs, the answers at an agent and at the system agent, and those to other callers. */
export type DoorRow<Others extends string> = readonly [
  address: string,
  needs: Needs,
  agent: Row[2],
  system: Row[2],
  others: Readonly<Record<Others, Answer>>,
]

/** Browsers at the host name of a port without a user of their own, or whose right has ended. */
export type Visitor =
  | 'a visitor with a link'
  | 'a visitor with an expired link'
  | 'a visitor with a revoked link'
  | 'a visitor whose link has expired since'
  | 'a visitor whose link was revoked since'
  | 'a visitor with a link of a user who lost the right'
  | 'a browser with the right to another port'
  | 'a browser whose user has signed out'
  | 'a browser whose share was revoked'

/** No program listens in the engine of these tests, so 502 is the answer behind the door. */
const LET_IN = 502
const visitors = (withLink: Answer): Readonly<Record<Visitor, Answer>> => ({
  'a visitor with a link': withLink,
  'a visitor with an expired link': 401,
  'a visitor with a revoked link': 401,
  'a visitor whose link has expired since': 401,
  'a visitor whose link was revoked since': 401,
  'a visitor with a link of a user who lost the right': 401,
  'a browser with the right to another port': 401,
  'a browser whose user has signed out': 401,
  'a browser whose share was revoked': 401,
})

export const HOST_ROWS: readonly DoorRow<Visitor>[] = [
  ...['HTTP :port--:name/*', 'WS :port--:name/*'].map((address): DoorRow<Visitor> => [
    address,
    'terminal',
    [401, 401, LET_IN, LET_IN, LET_IN],
    [401, 401, 401, 401, LET_IN],
    visitors(LET_IN),
  ]),
  ['GET :port--:name/.slipway/enter', 'terminal', [401, 401, 303, 303, 303], [401, 401, 401, 401, 303], visitors(303)],
]

/** Clients whose key lets them in no more. */
export type Former = 'a removed key' | 'the key of a disabled user' | 'the key of a user whose share was revoked'

const NO: Answer = 'refused'
const former: Readonly<Record<Former, Answer>> = {
  'a removed key': NO,
  'the key of a disabled user': NO,
  'the key of a user whose share was revoked': NO,
}

export const SSH_ROWS: readonly DoorRow<Former>[] = [
  ...['SSH :name exec', 'SSH :name shell', 'SSH :name subsystem'].map((address): DoorRow<Former> => [
    address,
    'none',
    [NO, NO, 'open', 'open', 'open'],
    [NO, NO, NO, NO, 'open'],
    former,
  ]),
  // The program that connects to ports does not start in the engine of these tests.
  [
    'SSH :name tcpip',
    'none',
    [NO, NO, 'WRONG_STATE', 'WRONG_STATE', 'WRONG_STATE'],
    [NO, NO, NO, NO, 'WRONG_STATE'],
    former,
  ],
]
