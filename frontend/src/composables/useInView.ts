import { onMounted, type Ref } from 'vue'

/** Scrolls an element into view once it is mounted. Otherwise a form could open below the window's edge. */
export function useInView(element: Readonly<Ref<HTMLElement | null>>): void {
  onMounted(() => element.value?.scrollIntoView({ block: 'nearest' }))
}
