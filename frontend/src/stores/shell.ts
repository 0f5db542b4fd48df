import { defineStore } from 'pinia'
import { ref } from 'vue'

/** Which parts of the shell are open. */
export const useShellStore = defineStore('shell', () => ({
  rail: ref(false),
  palette: ref(false),
  help: ref(false),
  createAgent: ref(false),
  terminalSettings: ref(false),
}))
