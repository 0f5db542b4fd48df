import { isLongForm } from '@slipway/testing/forms'
import { describePrograms, testDirectPrograms, testPrograms } from '../../../../../test/conformance/conformance.ts'
import { IMAGE, useEngine } from '../../../../../test/support/engine/engine.ts'

// As in a container that cannot run a holder. `runtime.test.ts` runs all of the tests of programs, with one.
const tests = isLongForm ? testPrograms : testDirectPrograms
describePrograms('programs without a holder', { runtime: useEngine({}).runtime, image: IMAGE }, tests)
