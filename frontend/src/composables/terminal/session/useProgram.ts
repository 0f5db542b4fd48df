/** The program of a terminal: which one runs, and its end, for another one or for none. */
import type { Participant } from '@slipway/protocol'
import type { Room } from '@/composables/terminal/tabs/useRoom.ts'
import { useProvidersStore } from '@/stores/tasks/providers.ts'
import type { SelectedMode } from '@/terminal/session/modes.ts'
import { useEndQuestions } from './useEndQuestions.ts'
import { useModeSwitch } from './useModeSwitch.ts'
import type { useTerminalSession } from './useTerminalSession.ts'

export interface UseProgramOptions {
  session: Pick<
    ReturnType<typeof useTerminalSession>,
    'connectionStatus' | 'selectedMode' | 'connect' | 'disconnect' | 'isReturn'
  >
  runtime: () => string
  /** Whether the user may open another terminal; null: nothing is known about that. */
  room: () => Room | null
  /** The other participants of the session. */
  others: () => readonly Participant[]
  /** The element to focus after a question. */
  keyboard: () => HTMLElement | null
  /** Opens another terminal for a program. */
  openBeside: (mode: SelectedMode) => void
  /** The server already ran another program than the chosen one, which goes on. */
  onOther: (runs: string, chosen: string) => void
}

export function useProgram({ session, runtime, room, others, keyboard, openBeside, onOther }: UseProgramOptions) {
  const { connectionStatus: status, selectedMode } = session
  const providers = useProvidersStore()
  const labelOf = (mode: SelectedMode): string => providers.modeLabel(mode, runtime())

  const questions = useEndQuestions({
    others,
    program: () => labelOf(selectedMode.value),
    keyboard,
    beside: () => (room()?.isFree === false ? room() : null),
  })

  /** Whether the running program may end for another one. Where there is room, that one starts beside it instead. */
  async function mayEnd(mode: SelectedMode): Promise<boolean> {
    if (room()?.isFree !== true) return questions.maySwitch(labelOf(mode), () => openBeside(mode))
    openBeside(mode)
    return false
  }

  const { next, switchMode } = useModeSwitch({
    status,
    selectedMode,
    connect: () => session.connect(),
    disconnect: session.disconnect,
    isReturn: session.isReturn,
    mayEnd,
    onOther: (chosen) => {
      // An agent without a CLI has the same shell in both places of the switch.
      if (runtime() !== 'bash') onOther(labelOf(selectedMode.value), labelOf(chosen))
    },
  })

  /** While disconnected, it ends no program: that runs on until its time is over. */
  async function disconnect(): Promise<void> {
    if (status.value !== 'connected' || (await questions.mayDisconnect())) session.disconnect()
  }

  /** Ends the program and starts it again. */
  async function restart(): Promise<void> {
    if (!(await questions.mayDisconnect())) return
    session.disconnect()
    await session.connect()
  }

  /** Ends the program, if there is one, without a question. */
  const end = (): void => session.disconnect()

  return { labelOf, next, switchMode, disconnect, restart, end }
}
