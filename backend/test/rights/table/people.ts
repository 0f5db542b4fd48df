/** Pages, signing in, accounts, users and the audit log. */
import { DEFAULT_PREFERENCES } from '@slipway/protocol'
import { PASSWORD } from '../../support/people/people.ts'
import { newPublicKey } from '../../support/ssh/new-key.ts'
import { connectorRows, credentialRows, type Row } from './row.ts'

export const PEOPLE_ROWS: readonly Row[] = [
  // Pages, documentation, health
  ['GET /*', 'public', [200, 200, 200, 200, 200]],
  ['GET /docs', 'public', [200, 200, 200, 200, 200]],
  ['GET /docs/json', 'public', [200, 200, 200, 200, 200]],
  ['GET /docs/yaml', 'public', [200, 200, 200, 200, 200]],
  ['GET /docs/static/*', 'public', [200, 200, 200, 200, 200], { target: () => 'swagger-ui.css' }],
  ['GET /docs/static/index.html', 'public', [302, 302, 302, 302, 302]],
  ['GET /docs/static/swagger-initializer.js', 'public', [200, 200, 200, 200, 200]],
  ['GET /docs/static/theme/page.css', 'public', [200, 200, 200, 200, 200]],
  ['GET /docs/static/theme/page.js', 'public', [200, 200, 200, 200, 200]],
  ['GET /api/health', 'public', [200, 200, 200, 200, 200]],
  ['GET /api/health/ready', 'public', [200, 200, 200, 200, 200]],
  ['GET /api/providers', 'public', [200, 200, 200, 200, 200]],
  ['GET /api/metrics', 'metrics:read', [401, 403, 403, 403, 200]],

  // Signing in
  ['GET /api/auth/status', 'public', [200, 200, 200, 200, 200]],
  [
    'POST /api/auth/setup',
    'public',
    ['ALREADY_SET_UP', 'ALREADY_SET_UP', 'ALREADY_SET_UP', 'ALREADY_SET_UP', 'ALREADY_SET_UP'],
    { body: () => ({ token: 'x', email: 'a@example.org', password: PASSWORD }) },
  ],
  [
    'POST /api/auth/invitation',
    'public',
    ['INVALID_LINK', 'INVALID_LINK', 'INVALID_LINK', 'INVALID_LINK', 'INVALID_LINK'],
    { body: () => ({ token: 'x', password: PASSWORD }) },
  ],
  [
    'POST /api/auth/invitation/lookup',
    'public',
    ['INVALID_LINK', 'INVALID_LINK', 'INVALID_LINK', 'INVALID_LINK', 'INVALID_LINK'],
    { body: () => ({ token: 'x' }) },
  ],
  [
    'POST /api/auth/login',
    'public',
    [200, 200, 200, 200, 200],
    { body: ({ world }) => ({ email: world.stranger.email, password: PASSWORD }) },
  ],
  [
    'POST /api/auth/refresh',
    'public',
    ['INVALID_REFRESH', 'INVALID_REFRESH', 'INVALID_REFRESH', 'INVALID_REFRESH', 'INVALID_REFRESH'],
  ],
  ['POST /api/auth/logout', 'public', [204, 204, 204, 204, 204]],

  // Account
  ['GET /api/users/me', 'any', [401, 200, 200, 200, 200]],
  [
    'PATCH /api/users/me',
    'none',
    [401, 200, 200, 200, 200],
    { body: () => ({ currentPassword: PASSWORD, newPassword: PASSWORD }) },
  ],
  ['GET /api/users/me/preferences', 'none', [401, 200, 200, 200, 200]],
  ['PUT /api/users/me/preferences', 'none', [401, 200, 200, 200, 200], { body: () => DEFAULT_PREFERENCES }],
  ['GET /api/users/me/sign-ins', 'none', [401, 200, 200, 200, 200]],
  [
    'DELETE /api/users/me/sign-ins/:id',
    'none',
    [401, 204, 204, 204, 204],
    { target: (scene) => scene.signInOfCaller() },
  ],
  ['DELETE /api/users/me/sign-ins', 'none', [401, 204, 204, 204, 204], { query: 'all=true' }],
  ['GET /api/tokens', 'none', [401, 200, 200, 200, 200]],
  [
    'POST /api/tokens',
    'none',
    [401, 201, 201, 201, 201],
    { body: () => ({ name: 'walked', scopes: ['agents:read'], expiresInDays: 1 }) },
  ],
  [
    'POST /api/device-logins',
    'public',
    [201, 201, 201, 201, 201],
    { body: () => ({ name: 'walked', scopes: ['terminal'] }) },
  ],
  [
    'POST /api/device-logins/collect',
    'public',
    ['INVALID_CODE', 'INVALID_CODE', 'INVALID_CODE', 'INVALID_CODE', 'INVALID_CODE'],
    { body: () => ({ deviceCode: 'x' }) },
  ],
  [
    'POST /api/device-logins/lookup',
    'none',
    [401, 200, 200, 200, 200],
    { body: async (scene) => ({ userCode: await scene.deviceCode() }) },
  ],
  [
    'POST /api/device-logins/decision',
    'none',
    [401, 204, 204, 204, 204],
    { body: async (scene) => ({ userCode: await scene.deviceCode(), token: null }) },
  ],
  ['DELETE /api/tokens/:id', 'none', [401, 204, 204, 204, 204], { target: (scene) => scene.tokenOfCaller() }],

  ['GET /api/ssh', 'any', [401, 200, 200, 200, 200]],
  ['GET /api/ssh-keys', 'none', [401, 200, 200, 200, 200]],
  [
    'POST /api/ssh-keys',
    'none',
    [401, 201, 201, 201, 201],
    { body: () => ({ name: 'walked', publicKey: newPublicKey() }) },
  ],
  ['DELETE /api/ssh-keys/:id', 'none', [401, 204, 204, 204, 204], { target: (scene) => scene.sshKeyOfCaller() }],

  // Users
  ['GET /api/users', 'users:admin', [401, 403, 403, 403, 200]],
  [
    'POST /api/users',
    'users:admin',
    [401, 403, 403, 403, 201],
    { body: (scene) => ({ email: scene.newEmail(), role: 'user' }) },
  ],
  [
    'POST /api/users/:id/invitation',
    'users:admin',
    [401, 403, 403, 403, 201],
    { target: (scene) => scene.invitedUser() },
  ],
  [
    'PATCH /api/users/:id',
    'users:admin',
    [401, 403, 403, 403, 200],
    { target: (scene) => scene.invitedUser(), body: () => ({ disabled: true }) },
  ],
  ['DELETE /api/users/:id', 'users:admin', [401, 403, 403, 403, 204], { target: (scene) => scene.invitedUser() }],

  // Credentials of people and of the platform
  ['GET /api/users/me/credentials', 'none', [401, 200, 200, 200, 200]],
  ['GET /api/users/me/cli-access', 'none', [401, 200, 200, 200, 200]],
  ...credentialRows('/api/users/me/credentials', [401], (scene) => scene.credentialOfCaller()),
  ['GET /api/platform/credentials', 'none', [401, 403, 403, 403, 200]],
  ...credentialRows('/api/platform/credentials', [401, 403, 403, 403], (scene) => scene.credentialOfPlatform()),
  ['GET /api/users/me/connectors', 'none', [401, 200, 200, 200, 200]],
  ...connectorRows('/api/users/me/connectors', 'none', [401], { target: (scene) => scene.connectorOfCaller() }),
  ['GET /api/platform/connectors', 'none', [401, 403, 403, 403, 200]],
  ...connectorRows('/api/platform/connectors', 'none', [401, 403, 403, 403], {
    target: (scene) => scene.connectorOfPlatform(),
  }),
  ['GET /api/platform/secret-key', 'none', [401, 403, 403, 403, 200]],

  // The audit log
  ['GET /api/audit', 'none', [401, 403, 403, 403, 200]],
  ['GET /api/audit/export', 'none', [401, 403, 403, 403, 200], { query: 'format=csv' }],
]
