import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'
import type { NextMessage } from '@/lib/conversations/draft.ts'
import type { NewTask } from '@/lib/tasks/new/draft.ts'

/** Which parts of the shell are open. */
export const useShellStore = defineStore('shell', () => {
  const rail = ref(false)
  const palette = ref(false)
  const help = ref(false)
  const createAgent = ref(false)
  const dialogs = ref(false)
  const newTask = shallowRef<NewTask | null>(null)
  const newConversation = ref(false)
  const nextMessage = shallowRef<NextMessage | null>(null)
  const terminalSettings = ref(false)
  return {
    rail,
    palette,
    help,
    createAgent,
    /** The tray with the questions that need the user. */
    dialogs,
    /** The title of the open page where it says more than its route. */
    pageTitle: ref<string | null>(null),
    /** What the dialog of a new task begins with. Null: it is closed. */
    newTask,
    newConversation,
    /** A text on its way into the composer of a conversation. Null: none is. */
    nextMessage,
    terminalSettings,
    /** Whether a dialog covers the page, or will as soon as its part is loaded. */
    isCovered: computed(
      () =>
        newTask.value !== null ||
        [rail, palette, help, createAgent, dialogs, newConversation, terminalSettings].some((open) => open.value),
    ),
    /** Whether the dock of tasks covers the page. */
    dockMaximised: ref(false),
    /** How often the user has asked to go to the dock. */
    dockAsked: ref(0),
  }
})
