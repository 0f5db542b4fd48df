/** Starts a program with the file of root's that its CLI needs. */
import type { ContainerRuntime } from '../../../runtime/port.ts'
import type { Program, ProgramSpec } from '../../../runtime/program.ts'
import type { HeadlessProgram } from '../../providers/headless/headless.ts'

/** The file goes with the program, and if the program does not start. */
export const startWithRootFile = async (
  runtime: Pick<ContainerRuntime, 'start' | 'putRootFile'>,
  containerId: string,
  spec: ProgramSpec,
  rootFile: HeadlessProgram['rootFile'],
): Promise<Program> => {
  if (rootFile === undefined) return runtime.start(containerId, spec)
  const { path, remove } = await runtime.putRootFile(containerId, rootFile.text)
  try {
    const program = await runtime.start(containerId, { ...spec, env: { ...spec.env, [rootFile.variable]: path } })
    void program.exit.finally(remove)
    return program
  } catch (error) {
    remove()
    throw error
  }
}
