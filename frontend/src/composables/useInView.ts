import { onMounted, type Ref } from 'vue'

/** Brings an element into view as soon as it is there: a form that opens below the window's edge would not be seen. */
export function useInView(element: Readonly<Ref<HTMLElement | null>>): void {
  onMounted(() => element.value?.scrollIntoView({ block: 'nearest' }))
}
