import { describe, expect, it } from 'vitest'
import { ApiError } from '@/api/transport/errors.ts'
import { taskRefusal } from './taskRefusal.ts'

describe('a refusal', () => {
  it.each([
    [
      'VALIDATION',
      'body.cwd: must be a folder inside /home/developer',
      'cwd',
      'Must be a folder inside /home/developer.',
    ],
    ['VALIDATION', 'body/max_turns must be >= 1', 'max_turns', 'Must be >= 1.'],
    ['CLI_NOT_INSTALLED', 'It has none.', 'provider', 'It has none.'],
    [
      'TOO_MANY_TASKS',
      'End one, or let this one wait in line with "queue": true.',
      'place',
      'End one, or let this one wait in line.',
    ],
    ['DISK_FULL', 'No room.', 'form', 'No room.'],
  ] as const)('%s %j belongs to %s', (code, message, field, shown) =>
    expect(taskRefusal(new ApiError(400, code, message))).toEqual({ field, message: shown }),
  )
})
