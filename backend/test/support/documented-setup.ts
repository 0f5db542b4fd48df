/** After each test: everything that its servers answered is in the description of the API. */
import { afterEach, expect } from 'vitest'
import { undocumentedAnswers } from './documented.ts'

afterEach(() => expect(undocumentedAnswers(), 'answers that /docs does not describe').toEqual([]))
