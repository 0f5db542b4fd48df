import { useRouter } from 'vue-router'

/** Leads the user to a task. */
export function useOpenTask() {
  const router = useRouter()
  return function openTask(id: string): void {
    void router.push(`/coding-agents/${id}`)
  }
}
