import { IMAGE, useEngine } from '../../../test/support/engine.ts'
import { describePrograms } from '../../../test/conformance/runtime.ts'

// As where a container cannot run a holder.
describePrograms('programs that are not held', { runtime: useEngine({}).runtime, image: IMAGE })
