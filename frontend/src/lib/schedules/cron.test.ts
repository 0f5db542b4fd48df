import { expect, test } from 'vitest'
import { cronWords } from './cron.ts'

test('common expressions have words', () => {
  const words = {
    '30 2 * * 1-5': 'Monday to Friday at 02:30',
    '0 9 * * *': 'Every day at 09:00',
    ' 0  9,17 * * * ': 'Every day at 09:00 and 17:00',
    '0,30 9 * * mon,THU': 'Every Monday and Thursday at 09:00 and 09:30',
    '0 8 * * 7': 'Every Sunday at 08:00',
    '0 8 * * 0,6': 'Saturday and Sunday at 08:00',
    '0 8 * * 5-7': 'Every Friday, Saturday and Sunday at 08:00',
    '*/15 * * * *': 'Every 15 minutes',
    '*/10 9-17 * * 1-5': 'Every 10 minutes from 09:00 to 17:50, Monday to Friday',
    '0 * * * *': 'Every hour',
    '20 * * * *': 'Every hour at 20 minutes past',
    '0 9-17 * * 1-5': 'Every hour from 09:00 to 17:00, Monday to Friday',
    '0 */2 * * *': 'Every 2 hours',
    '0 */6 * * *': 'Every day at 00:00, 06:00, 12:00 and 18:00',
    '0 6 1 * *': 'On the 1st of each month at 06:00',
    '0 6 2,23 * *': 'On the 2nd and 23rd of each month at 06:00',
    '0 6 11 JAN *': 'On the 11th of January at 06:00',
    '0 6 * * */1': 'Every day at 06:00',
    '0 6 * * */3': 'Every Wednesday, Saturday and Sunday at 06:00',
  }
  expect(Object.fromEntries(Object.keys(words).map((cron) => [cron, cronWords(cron)]))).toEqual(words)
})

test('an expression has no words rather than wrong ones', () => {
  const others = [
    '',
    '0 9 * *',
    '0 9 * * * *',
    '*/7 * * * *',
    '* * * * *',
    '0 9 1 * 1',
    '0 9 * 3 *',
    '0 9 */3 * *',
    '0 9 * * 8',
    '0 24 * * *',
    '0 9 31-1 * *',
    '0 9 L * *',
    '*/0 * * * *',
    '0 9 * * 1/2',
    '0 1,2,3,5,7 * * *',
    'every day at 9',
  ]
  expect(others.filter((cron) => cronWords(cron) !== null)).toEqual([])
})
