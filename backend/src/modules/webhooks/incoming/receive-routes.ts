/** `/api/hooks/:id`: where other services call. It is public, and tells nothing to a caller without the secret. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { HookReceipt, INCOMING_BODY_BYTES } from '@slipway/protocol'
import Type from 'typebox'
import { COSTLY_PUBLIC_ROUTE } from '../../../plugins/rate-limit.ts'
import { sourceOf } from '../../audit/actor.ts'
import type { HookReceiver } from './receiver.ts'

interface Parts {
  readonly receiver: HookReceiver
}

export const receiveRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, { receiver }) => {
  // The signature covers the bytes of the body. What they mean matters only after its check.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: INCOMING_BODY_BYTES }, (_request, body, done) =>
    done(null, body),
  )

  app.post(
    '/hooks/:id',
    {
      bodyLimit: INCOMING_BODY_BYTES,
      config: { action: 'public', readsKey: true, ...COSTLY_PUBLIC_ROUTE },
      schema: {
        tags: ['webhooks'],
        summary: 'Call an incoming webhook',
        description:
          'Starts the task of the webhook. The secret is in the address, or proven by `X-Hub-Signature-256` (GitHub) or `X-Gitlab-Token` (GitLab). A delivery that comes again starts no second task.',
        params: Type.Object({ id: Type.String({ maxLength: 128 }) }),
        response: { 200: HookReceipt },
      },
    },
    async (request) => {
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      return receiver.receive(request.params.id, { headers: request.headers, body }, sourceOf(request))
    },
  )
}
