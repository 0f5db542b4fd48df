import { IMAGE, useEngine } from '../../../test/support/engine.ts'
import { describeTerminals } from '../../../test/conformance/runtime.ts'

// As where a container cannot run a holder.
describeTerminals('terminals that nobody holds', { runtime: useEngine({}).runtime, image: IMAGE })
