import { describePrograms } from '../../../../test/conformance/conformance.ts'
import { IMAGE, useEngine } from '../../../../test/support/engine.ts'

// As in a container that cannot run a holder.
describePrograms('programs without a holder', { runtime: useEngine({}).runtime, image: IMAGE })
