/** What every container runtime has to do, as tests: call it in a test file of the implementation. */
import { describe } from 'vitest'
import { testEvents } from './conformance/events.ts'
import { testForkBomb } from './conformance/fork-bomb.ts'
import { testHangUp } from './conformance/hang-up.ts'
import { testLaunch } from './conformance/launch.ts'
import { testMemoryKills } from './conformance/memory-kills.ts'
import { testProcesses } from './conformance/processes.ts'
import { testPtyEnds } from './conformance/pty-ends.ts'
import { testPtyFlow } from './conformance/pty-flow.ts'
import { testPtyStops } from './conformance/pty-stops.ts'
import { testPty } from './conformance/pty.ts'
import { testProgram } from './conformance/program.ts'
import { testRun } from './conformance/run.ts'
import { testStream } from './conformance/stream.ts'
import { type Setting, type Subject, useSubject } from './conformance/subject.ts'

/** `setting` is the runtime, with an engine behind it on which the tests may make what they like. */
export const describeContainerRuntime = (name: string, setting: Setting): void => {
  describe(name, () => {
    const subject = useSubject(setting)
    testLaunch(subject)
    testRun(subject)
    testProgram(subject)
    testStream(subject)
    testTerminals(subject)
    testEvents(subject)
  })
}

/** The part that concerns terminals, for a second way of opening them. */
export const describeTerminals = (name: string, setting: Setting): void => {
  describe(name, () => testTerminals(useSubject(setting)))
}

/** The part that depends on the kernel's control groups, for a second kernel; in containers of its own. */
export const describeMemoryKills = (name: string, setting: Setting): void => {
  describe(name, () => testMemoryKills(setting))
}

const testTerminals = (subject: Subject): void => {
  testPty(subject)
  testPtyFlow(subject)
  testPtyEnds(subject)
  testPtyStops(subject)
  testProcesses(subject)
  testHangUp(subject)
  testForkBomb(subject)
}
