import { defineStore } from 'pinia'
import { ref } from 'vue'

/** Whether the page could start, and is whole. */
export const useStartStore = defineStore('start', () => ({
  /** Without an answer of the server there is nothing to show but that. */
  problem: ref<string | null>(null),
  /** Whether a part of the page is requested again and again, because it did not arrive. */
  isAwaiting: ref(false),
  /** Set where a part of the page comes no more without a reload, which is the user's to choose; `place`: where they were going. */
  torn: ref<{ place: string | null } | null>(null),
}))
