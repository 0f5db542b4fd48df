/** `/api/coding-agents/schedules`: tasks that start at times of their own. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import {
  CodingSession,
  CreateSchedule,
  PreviewSchedule,
  Schedule,
  SCHEDULE_EVERY_MINUTES,
  SCHEDULE_TIMES,
  SchedulePreview,
  SCHEDULES_MAX,
  UpdateSchedule,
} from '@slipway/protocol'
import Type from 'typebox'
import { addDeletion, ById } from '../../identity/deletion.ts'
import { requireCaller } from '../../identity/require-caller.ts'
import { RUN_BODY_BYTES } from '../routes.ts'
import type { ScheduleService } from './service.ts'

interface Parts {
  readonly service: ScheduleService
}

const BASE = '/coding-agents/schedules'
const tags = ['tasks']
const params = ById

export const scheduleRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, { service }) => {
  /** Checks the right before a kept answer is replayed. */
  const mayStart = (request: FastifyRequest): Promise<void> =>
    service.checkAgain(requireCaller(request), request.body as CreateSchedule)

  app.get(
    BASE,
    {
      config: { action: 'schedules.list' },
      schema: {
        tags,
        summary: 'Your schedules',
        description: 'Oldest first.',
        response: { 200: Type.Array(Schedule) },
      },
    },
    async (request) => service.list(requireCaller(request)),
  )

  app.post(
    BASE,
    {
      bodyLimit: RUN_BODY_BYTES,
      config: { action: 'task.start', idempotent: mayStart },
      schema: {
        tags,
        summary: 'Create a schedule',
        description: `Starts a task at the times of a cron expression, every ${SCHEDULE_EVERY_MINUTES} minutes at most. A user may have ${SCHEDULES_MAX} schedules.`,
        body: CreateSchedule,
        response: { 201: Schedule },
      },
    },
    async (request, reply) => {
      const { body, resourceId } = request
      return reply.code(201).send(await service.create(requireCaller(request), body, resourceId))
    },
  )

  app.post(
    `${BASE}/preview`,
    {
      config: { action: 'schedules.list' },
      schema: {
        tags,
        summary: `The next ${SCHEDULE_TIMES} times of a cron expression`,
        body: PreviewSchedule,
        response: { 200: SchedulePreview },
      },
    },
    async (request) => service.preview(request.body),
  )

  app.get(
    `${BASE}/:id`,
    {
      config: { action: 'schedules.list' },
      schema: { tags, summary: 'A schedule', params, response: { 200: Schedule } },
    },
    async (request) => service.get(requireCaller(request), request.params.id),
  )

  app.patch(
    `${BASE}/:id`,
    {
      bodyLimit: RUN_BODY_BYTES,
      config: { action: 'schedules.manage' },
      schema: {
        tags,
        summary: 'Change a schedule',
        description:
          'Fields that are missing stay as they are. Its runs are from then on those of the user or the API token of this request. Active runs go on as they are.',
        params,
        body: UpdateSchedule,
        response: { 200: Schedule },
      },
    },
    async (request) => service.change(requireCaller(request), request.params.id, request.body),
  )

  addDeletion(
    app,
    {
      path: `${BASE}/:id`,
      action: 'schedules.manage',
      tags,
      summary: 'Delete a schedule',
      description: 'Its active run goes on.',
    },
    (caller, id) => service.remove(caller, id),
  )

  app.post(
    `${BASE}/:id/run`,
    {
      config: { action: 'task.start' },
      schema: {
        tags,
        summary: 'Run a schedule now',
        description: 'Puts its task into the line, also if it is switched off. Its next times stay as they are.',
        params,
        response: { 201: CodingSession },
      },
    },
    async (request, reply) => reply.code(201).send(await service.run(requireCaller(request), request.params.id)),
  )
}
