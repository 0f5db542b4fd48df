import { IMAGE, useEngine } from '../../../test/support/engine.ts'
import { describeMemoryKills } from '../conformance.ts'

describeMemoryKills('a memory kill where terminals are held', { runtime: useEngine().runtime, image: IMAGE })
describeMemoryKills('a memory kill where nobody holds terminals', { runtime: useEngine({}).runtime, image: IMAGE })
