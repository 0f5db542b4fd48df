/** A repository in an agent, and a stub of the host of its remote. */
import { readFileSync } from 'node:fs'
import type { Client } from '../api.ts'
import { sh } from './model.ts'

const HOST = readFileSync(new URL('../agent/github-host.mjs', import.meta.url))
const PORT = 9510
export const REMOTE = 'https://github.localhost/harbour/api.git'
/** The work tree, and the bare repository behind {@link REMOTE} once {@link reachRemote} was called. */
const REPOSITORY = `git init -q --bare -b main remote.git && git clone -q remote.git repo && cd repo
  git config user.name Tester && git config user.email tester@example.org
  echo one >code && git add -A && git commit -qm start && git push -q origin HEAD:main && git remote set-head origin main
  git remote set-url origin ${REMOTE}`

/** Makes the repository `repo` in a running agent, and starts the stub, which answers when this resolves. */
export const useGitHub = async (client: Client, agent: string): Promise<void> => {
  await sh(client, agent, REPOSITORY)
  await client.upload(agent, 'github-host.mjs', HOST)
  await sh(
    client,
    agent,
    `: >host.log; setsid node github-host.mjs host.log ${PORT} >host.out 2>&1 & n=0
    until curl -s -o host.up http://127.0.0.1:${PORT}/; do n=$((n+1)); [ $n -lt 200 ] || exit 1; sleep 0.1; done; : >host.log`,
  )
}

const setVariable = (client: Client, agent: string, name: string, value: string): Promise<unknown> =>
  client.ok('PUT', `/agents/${agent}/variables/${name}`, { value, secret: false })

/** From now on, git in the agent reaches the bare repository at the address of the remote. */
export const reachRemote = async (client: Client, agent: string): Promise<void> => {
  const settings = {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'url./home/developer/remote.git.insteadOf',
    GIT_CONFIG_VALUE_0: REMOTE,
  }
  for (const [name, value] of Object.entries(settings)) await setVariable(client, agent, name, value)
}

/** From now on, programs in the agent reach the stub as their proxy. A CLI would ask its model there, too. */
export const reachHost = (client: Client, agent: string): Promise<unknown> =>
  setVariable(client, agent, 'HTTP_PROXY', `http://127.0.0.1:${PORT}`)
export const leaveHost = (client: Client, agent: string): Promise<unknown> =>
  client.ok('DELETE', `/agents/${agent}/variables/HTTP_PROXY`)

/** Gives the agent a token for the host. */
export const signIn = async (client: Client, agent: string, token: string): Promise<void> => {
  await client.ok('PUT', `/agents/${agent}/credentials/github-token`, { value: token })
  await client.ok('PATCH', `/agents/${agent}`, { useGitToken: true })
}

const comment = (id: string, body: string) => ({
  ...{ id, author: { login: 'grace' }, authorAssociation: 'MEMBER', body, createdAt: '2026-11-26T10:00:00Z' },
  url: 'https://github.localhost/harbour/api/pull/1#r1',
})
/** A talk about the first line of the file `new`. */
const thread = (id: string, body: string, isResolved: boolean) => ({
  ...{ isResolved, isOutdated: false, path: 'new', line: 1, originalLine: 1 },
  comments: { totalCount: 1, nodes: [comment(id, body)] },
})

/** From now on, the host has these comments on line 1 of `new`, one that is resolved, and a failing check. */
export const reviewWith = async (client: Client, agent: string, ...bodies: readonly string[]): Promise<void> => {
  const threads = [...bodies.map((body, at) => thread(`r${at + 1}`, body, false)), thread('done', 'Done.', true)]
  const check = { __typename: 'CheckRun', id: 'c', name: 'build', status: 'COMPLETED', conclusion: 'FAILURE' }
  const contexts = { totalCount: 1, nodes: [{ ...check, detailsUrl: null, title: 'Two errors', summary: null }] }
  const none = { totalCount: 0, nodes: [] }
  const feedback = {
    reviewThreads: { totalCount: threads.length, nodes: threads },
    ...{ reviews: none, comments: none, commits: { nodes: [{ commit: { statusCheckRollup: { contexts } } }] } },
  }
  await client.upload(agent, 'feedback.json', Buffer.from(JSON.stringify(feedback)))
}
