import { useToast } from '@nuxt/ui/composables'
import type { Participant, PeopleFrame } from '@slipway/protocol'
import { computed, shallowRef, watch } from 'vue'
import { companyOf, type Company } from '@/terminal/session/company.ts'

export interface UseCompanyOptions {
  /** Whether the session is the user's own. Then the user has control until the server reports another participant. */
  isOwn: boolean
  agentName: () => string
  connected: () => boolean
  visible: () => boolean
  /** Asks for control, or withdraws the request. */
  ask: (asks: boolean) => void
  /** Hands control over to the participant with that id. */
  give: (to: string) => void
  /** Declines, for now, the request for control of the participant with that id. */
  decline: (to: string) => void
}

export type UsedCompany = ReturnType<typeof useCompany>

/** The participants of a session: who has control, who asks for it, and what this user may do about it. */
export function useCompany(options: UseCompanyOptions) {
  const toast = useToast()
  const company = shallowRef<Company | null>(null)
  /** Whether the user was told that their input does not count. */
  let knows = false

  const hasControl = computed(() => company.value?.you.hasControl ?? options.isOwn)
  const others = computed(() => company.value?.others ?? [])
  /** The participant whose request for control this user has to answer. */
  const asking = computed(() => (company.value?.you.hasControl === true && company.value.asking[0]) || null)

  function onPeople(frame: PeopleFrame): void {
    const before = company.value
    const now = companyOf(frame)
    if (frame.refusal !== undefined) refused(frame.refusal)
    company.value = now
    if (now === null) return
    if (options.isOwn) greet(now.others.filter(({ id }) => before?.others.every((known) => known.id !== id) ?? true))
  }

  function refused(why: string): void {
    toast.add({ title: 'Control did not change', description: why, icon: 'i-lucide-hand', color: 'warning' })
  }

  function greet(come: readonly Participant[]): void {
    for (const { id, name } of come) {
      const title = `${name} joined the terminal of ${options.agentName()}`
      toast.add({ id: `joined-${id}`, title, icon: 'i-lucide-eye', color: 'neutral', duration: 4_000 })
    }
  }

  /** The socket closed. A guest has lost control with it. */
  function leave(): void {
    if (!options.isOwn) company.value = null
  }

  const takeBack = (): void => {
    if (company.value !== null) options.give(company.value.you.id)
  }

  /** Gives control to the session's owner. */
  const giveBack = (): void => {
    const holder = others.value.find(({ isHolder }) => isHolder)
    if (holder !== undefined) options.give(holder.id)
  }

  function mayType(): boolean {
    if (hasControl.value || !options.connected()) return true
    if (knows) return false
    knows = true
    const { you, controller } = company.value ?? {}
    const actions =
      you?.isHolder === true
        ? [{ label: 'Take back', onClick: takeBack }]
        : you?.mayControl === true && controller !== null
          ? [{ label: 'Ask for control', onClick: () => options.ask(true) }]
          : []
    toast.add({
      title: controller === undefined || controller === null ? 'You are watching' : `${controller.name} has control`,
      description: 'Your input is not sent.',
      icon: 'i-lucide-keyboard-off',
      color: 'warning',
      duration: 6_000,
      actions,
    })
    return false
  }

  watch(hasControl, () => (knows = false))
  watch(asking, (who) => {
    if (who === null || options.visible()) return
    const title = `${who.name} asks for control of ${options.agentName()}`
    toast.add({ id: `asks-${who.id}`, title, icon: 'i-lucide-hand', color: 'warning', duration: 15_000 })
  })

  return {
    company,
    others,
    hasControl,
    asking,
    onPeople,
    leave,
    end: () => (company.value = null),
    mayType,
    takeBack,
    giveBack,
    give: options.give,
    ask: options.ask,
    decline: options.decline,
  }
}
