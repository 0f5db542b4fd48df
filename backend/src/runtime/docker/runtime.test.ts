import { IMAGE, useEngine } from '../../../test/support/engine/engine.ts'
import { describeContainerRuntime } from '../../../test/conformance/conformance.ts'

describeContainerRuntime('the runtime on Docker Engine', { runtime: useEngine().runtime, image: IMAGE })
