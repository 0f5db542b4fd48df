import { defineStore } from 'pinia'
import { ref } from 'vue'

/** Whether the page could start, and whether all its parts have loaded. */
export const useStartStore = defineStore('start', () => ({
  /** Why the page cannot start. Nothing else is shown then. */
  problem: ref<string | null>(null),
  /** Whether the page keeps retrying a part that failed to load. */
  isAwaiting: ref(false),
  /**
   * Set if only a reload can load a missing part. The user decides when. `place` is the page that the user was going
   * to.
   */
  torn: ref<{ place: string | null } | null>(null),
}))
