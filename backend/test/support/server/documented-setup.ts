/** After each test, checks that the description of the API has everything that the test's servers answered. */
import { afterEach, expect } from 'vitest'
import { undocumentedAnswers } from './documented.ts'

afterEach(() => expect(undocumentedAnswers(), 'answers that /docs does not describe').toEqual([]))
