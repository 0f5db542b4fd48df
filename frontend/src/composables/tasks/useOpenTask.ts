import { useToast } from '@nuxt/ui/composables'

/** Leads the user to a task. */
export function useOpenTask() {
  const toast = useToast()
  return function openTask(id: string): void {
    toast.add({ title: 'Task started', description: id, icon: 'i-lucide-circle-check', color: 'success' })
  }
}
