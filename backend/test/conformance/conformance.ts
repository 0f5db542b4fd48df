/** What every container runtime has to do, as tests. Call it in a test file of the implementation. */
import { isLongForm } from '@slipway/testing/forms'
import { describe } from 'vitest'
import { testEvents } from './events.ts'
import { testForkBomb } from './fork-bomb.ts'
import { testHangUp } from './hang-up.ts'
import { testLaunch } from './launch.ts'
import { testMemoryKills } from './memory-kills.ts'
import { testProcesses } from './processes.ts'
import { testPtyEnds } from './pty-ends.ts'
import { testPtyFlow } from './pty-flow.ts'
import { testPtyStops } from './pty-stops.ts'
import { testPty } from './pty.ts'
import { testHeldProgram } from './program-held.ts'
import { testProgram } from './program.ts'
import { testRun } from './run.ts'
import { testStream } from './stream.ts'
import { type Setting, type Subject, useSubject } from './subject.ts'

/** `setting` is the runtime, with an engine on which the tests may make anything. */
export const describeContainerRuntime = (name: string, setting: Setting): void => {
  describe(name, () => {
    const subject = useSubject(setting)
    testLaunch(subject)
    testRun(subject)
    testStream(subject)
    testPrograms(subject)
    testHeldProgram(subject)
    testEvents(subject)
  })
}

/** Those of {@link testPrograms} that differ most by the way in which a program starts. Without a holder a fork bomb ends in another way. */
export const testDirectPrograms = (subject: Subject): void => {
  testProgram(subject)
  testPty(subject)
  testForkBomb(subject, 'stays')
}

/**
 * The tests of programs, for a second way of starting them. Programs that start in that way do not survive the backend.
 */
export const describePrograms = (
  name: string,
  setting: Setting,
  tests: (subject: Subject) => void = testPrograms,
): void => {
  describe(name, () => tests(useSubject(setting)))
}

/** The tests that depend on the kernel's control groups, for a second kernel. They make containers of their own. */
export const describeMemoryKills = (name: string, setting: Setting): void => {
  describe(name, () => testMemoryKills(setting))
}

export const testPrograms = (subject: Subject): void => {
  testProgram(subject)
  testPty(subject)
  testPtyEnds(subject)
  testHangUp(subject)
  testForkBomb(subject, isLongForm ? 'both' : 'bomb')
  testPtyFlow(subject)
  testPtyStops(subject)
  testProcesses(subject)
}
