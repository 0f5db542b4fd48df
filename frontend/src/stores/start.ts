import { defineStore } from 'pinia'
import { ref } from 'vue'

/** Whether the page could start: without an answer of the server there is nothing to show but that. */
export const useStartStore = defineStore('start', () => ({
  problem: ref<string | null>(null),
  /** Whether a part of the page did not arrive: to most browsers it stays lost as long as the page is there. */
  isTorn: ref(false),
}))
