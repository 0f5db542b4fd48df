/** Users join, stay and leave: invitations, the users page, and the user's own account. */
import { execFile } from 'node:child_process'
import { createHash, generateKeyPairSync } from 'node:crypto'
import { promisify } from 'node:util'
import { type Agent, type CreatedUser, REFRESH_KEY_HEADER, type SignedIn } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import type { Page } from 'playwright'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { type Client, newUser, signIn, signInAdmin, uniqueName } from '../../support/api.ts'
import { intercept } from '../../support/network/intercept.ts'
import { answered, goTo, newContext, PATIENCE_MS, reload, useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'

/**
 * How soon a page has to tell a revoked right on a busy machine, in milliseconds. Without being told, it would find out when
 * its access token ends, after minutes. `backend/test/rights/taken.test.ts` has how soon the server closes what is open.
 */
const WITHIN_MS = 60_000
const PASSWORD = 'a password of my own'

useBrowser()
let admin: Client

beforeAll(async () => {
  admin = await signInAdmin()
})

const open = async (path: string, provoked: readonly RegExp[] = []): Promise<Page> => {
  const page = await (await newContext({ provoked })).newPage()
  await goTo(page, path)
  return page
}
/** A key for SSH, with the fingerprint that OpenSSH prints. */
const newKey = () => {
  const { x = '' } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
  const field = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes])
  const blob = Buffer.concat([field(Buffer.from('ssh-ed25519')), field(Buffer.from(x, 'base64url'))])
  const hash = createHash('sha256').update(blob).digest('base64').replaceAll('=', '')
  return { publicKey: `ssh-ed25519 ${blob.toString('base64')}`, fingerprint: `SHA256:${hash}` }
}
const row = (page: Page, email: string) => page.getByTestId(`user-${email}`)
const choose = async (page: Page, email: string, item: string): Promise<void> => {
  await page.getByRole('button', { name: `Change ${email}` }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

describe('an invitation', () => {
  it('leads from the users page over a link to a user who is signed in, once', async () => {
    const email = `${uniqueName()}@example.org`
    const users = await visit(admin, '/users')
    await users.getByTestId('add-user').click()
    await users.getByTestId('invite-form').getByLabel('E-mail').fill(email)
    await users.getByRole('button', { name: 'Create invite link' }).click()
    const link = await users.getByTestId('invitation-link').innerText()
    await users.getByRole('button', { name: 'Done' }).click()
    await row(users, email).getByTestId('user-status').getByText('Invited').waitFor()

    const late = await open(link, [answered(401)])
    // The link has to be read there while it still works.
    await late.getByLabel('Password', { exact: true }).waitFor()
    const invited = await open(link)
    await invited.waitForURL((url) => url.hash === '')
    expect(await invited.getByLabel('E-mail').inputValue()).toBe(email)
    await invited.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await invited.getByRole('button', { name: 'Set password and sign in' }).click()
    await invited.getByTestId('first-agent').waitFor()
    expect((await signIn(email, PASSWORD)).email).toBe(email)

    await late.getByLabel('Password', { exact: true }).fill('another password, too late')
    await late.getByRole('button', { name: 'Set password and sign in' }).click()
    await late.getByText('This link no longer works').waitFor()
    await late.getByText('ask an admin for a new link').waitFor()
    await late.getByRole('link', { name: 'Sign in' }).click()
    await late.getByTestId('login-form').waitFor()
  })

  // Without a page: `backend/test/identity/first-start.test.ts`, “is void after a week, after another”.
  longIt('that is made anew voids the one before', async () => {
    const email = `${uniqueName()}@example.org`
    const first = await admin.ok<CreatedUser>('POST', '/users', { email, role: 'user' })
    const users = await visit(admin, '/users')
    await choose(users, email, 'New invite link')
    const link = await users.getByTestId('invitation-link').innerText()
    const late = await open(first.invitation?.url ?? '', [answered(401)])
    await late.getByText('This link no longer works').waitFor()
    // Opens the new link over that page.
    await goTo(late, link)
    await late.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await late.getByRole('button', { name: 'Set password and sign in' }).click()
    await late.getByTestId('first-agent').waitFor()
  })

  it('whose link lost its end says so', async () => {
    await (await open('/invitation')).getByText('This link is incomplete').waitFor()
  })
})

describe('the users page', () => {
  // The next test disables a user, whose page hears of it in the same way.
  longIt('changes a role, which that user’s page shows at once', async () => {
    const user = await newUser(admin)
    // What the page asks as an admin may be answered when its user is none any more.
    const theirs = await visit(user, '/', { provoked: [answered(403)] })
    await theirs.getByTestId('first-agent').waitFor()
    expect(await theirs.getByRole('link', { name: 'Users' }).count()).toBe(0)
    const users = await visit(admin, '/users')
    let listensAnew = false
    theirs.on('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => (listensAnew ||= payload.includes('auth_success'))),
    )
    await choose(users, user.email, 'Change role to admin')
    await theirs.getByRole('link', { name: 'Users' }).waitFor()
    await until('their page to listen again', () => listensAnew, PATIENCE_MS)
    await choose(users, user.email, 'Change role to user')
    await theirs.getByRole('link', { name: 'Users' }).waitFor({ state: 'detached' })
  })

  it('disables a user, whose page says so at once', async () => {
    const user = await newUser(admin)
    const theirs = await visit(user, '/', { provoked: [answered(401)] })
    await theirs.getByTestId('first-agent').waitFor()
    const users = await visit(admin, '/users')
    await choose(users, user.email, 'Disable')
    await users.getByTestId('confirm-action').click()
    await row(users, user.email).getByTestId('user-status').getByText('Disabled').waitFor()
    await theirs.getByTestId('signed-out').getByText('Your account was disabled.').waitFor({ timeout: WITHIN_MS })
  })

  // The walk has this dialog (`users-delete`), and `backend/test/identity/removal.test.ts` hands agents over.
  longIt('asks what to do with the agents of a user who is deleted, and hands them over', async () => {
    const [leaver, heir] = [await newUser(admin), await newUser(admin)]
    const agent = await leaver.agent({ runtime: 'bash' })
    const users = await visit(admin, '/users')
    const theirs = await visit(heir, '/')
    await choose(users, leaver.email, 'Delete')
    const dialog = users.getByTestId('delete-user')
    await dialog.getByTestId('delete-user-agents').getByText(agent.name).waitFor()
    await dialog.getByTestId('delete-user-typed').fill(leaver.email)
    expect(await dialog.getByTestId('delete-user-action').isDisabled()).toBe(true)
    await dialog.getByTestId('delete-user-heir').click()
    await users.getByRole('option', { name: heir.email }).click()
    await dialog.getByTestId('delete-user-action').click()
    await row(users, leaver.email).waitFor({ state: 'detached' })
    await theirs.getByTestId(`rail-agent-${agent.name}`).click()
    const screen = new Screen(theirs)
    await screen.shell()
    expect(await screen.run('whoami')).toBe('developer')
    await heir.ok('DELETE', `/agents/${agent.name}`)
  })

  // The test before hands the agents over, and `backend/test/identity/removal.test.ts` deletes them.
  longIt('or deletes them, too', async () => {
    const leaver = await newUser(admin)
    const agent = await leaver.agent({ runtime: 'bash' })
    const users = await visit(admin, '/users')
    await choose(users, leaver.email, 'Delete')
    await users.getByRole('radio', { name: 'Delete the agents' }).click()
    await users.getByTestId('delete-user-typed').fill(leaver.email)
    await users.getByRole('button', { name: 'Delete user and agents' }).click()
    await row(users, leaver.email).waitFor({ state: 'detached' })
    expect((await admin.call<Agent>('GET', `/agents/${agent.name}`)).status).toBe(404)
  })
})

describe('the account page', () => {
  // `arrival/sign-in.test.ts` ends a sign-in in another tab, and `backend/test/rights/taken.test.ts` the others of a
  // user.
  longIt('lists the sign-ins, and signs out the other one at once, with the reason', async () => {
    const user = await newUser(admin)
    const here = await visit(user, '/account')
    const there = await visit(user, '/', { provoked: [answered(401)] })
    await there.getByTestId('first-agent').waitFor()
    await reload(here)
    await here.getByTestId('sign-in').waitFor()
    await here.getByRole('button', { name: 'Show 2 other devices' }).click()
    // The test's client, this browser, and the other one.
    await expect.poll(() => here.getByTestId('sign-in').count()).toBe(3)
    expect(await here.getByTestId('sign-in').first().innerText()).toMatch(/Chrome \d+ on Linux\s+This device/)
    await here.getByTestId('end-other-sign-ins').click()
    const taken = here.waitForResponse((answer) => answer.request().method() === 'DELETE')
    await here.getByTestId('confirm-action').click()
    await taken
    await there.getByTestId('signed-out').getByText('You were signed out.').waitFor({ timeout: WITHIN_MS })
    await here.getByText('You are not signed in on any other device.').waitFor()
    expect(await here.getByTestId('sign-in').count()).toBe(1)
  })

  it('makes an API token with a line to try that works, until it is revoked', async () => {
    const user = await newUser(admin)
    const page = await visit(user, '/account')
    await page.getByTestId('new-token').click()
    await page.getByTestId('token-form').getByLabel('Name').fill('my job')
    await page.getByRole('button', { name: 'Create token' }).click()
    const line = await page.getByTestId('token-curl').innerText()
    const run = async () => {
      const { stdout } = await promisify(execFile)('sh', ['-c', `${line} --silent`])
      return JSON.parse(stdout) as { items?: unknown; code?: string }
    }
    expect(await run()).toMatchObject({ items: [] })
    const token = await page.getByTestId('token-value').innerText()
    await page.getByRole('button', { name: 'Done' }).click()
    await reload(page)
    await page
      .getByTestId('token-my job')
      .getByText(/\bused\s+(?:just now|\d+ min\. ago)/)
      .waitFor()
    expect(await page.locator('body').innerText()).not.toContain(token)
    await page.getByRole('button', { name: 'Revoke my job' }).click()
    await page.getByTestId('confirm-action').click()
    await page.getByText('No API tokens yet.').waitFor()
    expect(await run()).toMatchObject({ code: 'UNAUTHENTICATED' })
  })

  // The walk has the list and a key that is refused (`account`, `account-ssh-key-refused`).
  longIt('adds an SSH key that is pasted, with its comment as its name, and removes it', async () => {
    const page = await visit(await newUser(admin), '/account', { provoked: [answered(400)] })
    await page.getByTestId('ssh-keys-none').getByText('ssh-keygen -t ed25519').waitFor()
    await page.getByTestId('add-ssh-key').click()
    await page.getByTestId('ssh-key-text').fill('-----BEGIN OPENSSH PRIVATE KEY-----')
    await page.getByTestId('ssh-key-name').fill('desk')
    await page.getByTestId('ssh-key-submit').click()
    await page.getByTestId('ssh-key-form').getByText('This is a private key.').waitFor()
    await page.getByTestId('ssh-key-name').fill('')
    const { publicKey, fingerprint } = newKey()
    await page.getByTestId('ssh-key-text').fill(`${publicKey} ada@desk\n`)
    expect(await page.getByTestId('ssh-key-name').inputValue()).toBe('ada@desk')
    await page.getByTestId('ssh-key-submit').click()
    await page.getByTestId('ssh-key-ada@desk').getByText(fingerprint).waitFor()
    await page.getByRole('button', { name: 'Remove ada@desk' }).click()
    await page.getByTestId('confirm-action').click()
    await page.getByTestId('ssh-keys-none').waitFor()
  })

  it('outlives an answer to a refresh that was lost on the way', async () => {
    const user = await newUser(admin)
    const page = await visit(user, '/account', { provoked: [/ERR_CONNECTION_RESET/] })
    // Its own refresh is over then.
    await page.getByTestId('sign-ins').waitFor()
    let lost = 0
    await intercept(page, '*/api/auth/refresh', async (request) => {
      if ((lost += 1) > 1) return request.continue()
      // The server rotates the refresh token, but the response is lost.
      const cookies = await page.context().cookies(`${inject('baseUrl')}/api/auth`)
      const response = await fetch(`${inject('baseUrl')}/api/auth/refresh`, {
        method: 'POST',
        headers: {
          cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; '),
          [REFRESH_KEY_HEADER]: request.header(REFRESH_KEY_HEADER) ?? '',
        },
      })
      expect(((await response.json()) as SignedIn).user.email).toBe(user.email)
      return request.abort('ConnectionReset')
    })
    await reload(page)
    await page.getByTestId('sign-ins').waitFor()
    // The page tries again.
    expect(lost).toBe(2)
  })
})
