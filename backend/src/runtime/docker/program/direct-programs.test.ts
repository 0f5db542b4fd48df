import { describePrograms } from '../../../../test/conformance/conformance.ts'
import { IMAGE, useEngine } from '../../../../test/support/engine.ts'

// As in a container that cannot run a holder.
describePrograms('programs that nobody holds', { runtime: useEngine({}).runtime, image: IMAGE })
