/** A server for test files of which only tests of the long form end it. */
import { isLongForm } from '@slipway/testing/forms'
import { beforeAll, inject } from 'vitest'
import { type Client, newUser, signInAdmin } from './api.ts'
import { type OwnServer, useOwnServer } from './own-server.ts'

const stays = (): never => {
  throw new Error('only a test of the long form ends its server')
}

/** The shared server, with an admin of the file's own. */
const useSharedServer = (): OwnServer => {
  let admin: Client
  beforeAll(async () => {
    admin = await newUser(await signInAdmin(), 'admin')
  })
  return {
    namespace: inject('namespace'),
    get dataDir() {
      return stays()
    },
    get pid() {
      return stays()
    },
    get admin() {
      return admin
    },
    end: stays,
    start: stays,
  }
}

/** Call it at the top of a test file. In the long form it is a server of the file's own, with these variables. */
export const useServerToKill = (env: Readonly<Record<string, string>> = {}): OwnServer =>
  isLongForm ? useOwnServer(env) : useSharedServer()
