import { defineStore } from 'pinia'
import { ref, shallowRef } from 'vue'
import type { NewTask } from '@/lib/tasks/new/draft.ts'

/** Which parts of the shell are open. */
export const useShellStore = defineStore('shell', () => ({
  rail: ref(false),
  palette: ref(false),
  help: ref(false),
  createAgent: ref(false),
  /** What the dialog of a new task begins with. Null: it is closed. */
  newTask: shallowRef<NewTask | null>(null),
  terminalSettings: ref(false),
}))
