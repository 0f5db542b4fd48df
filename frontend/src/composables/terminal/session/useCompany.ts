import { useToast } from '@nuxt/ui/composables'
import type { Participant, PeopleFrame } from '@slipway/protocol'
import { computed, shallowRef, watch } from 'vue'
import { companyOf, type Company } from '@/terminal/session/company.ts'

export interface UseCompanyOptions {
  /** Whether it is the person's own session: then control is theirs as long as nobody says otherwise. */
  isOwn: boolean
  agentName: () => string
  connected: () => boolean
  visible: () => boolean
  /** Asks for control, or does not any more. */
  ask: (asks: boolean) => void
  /** Hands control over to the participant with that id. */
  give: (to: string) => void
  /** Says no, for now, to the participant with that id, who asks for control. */
  decline: (to: string) => void
}

export type UsedCompany = ReturnType<typeof useCompany>

/** The people in a session: who has control, who wants it, and what the person here may do about it. */
export function useCompany(options: UseCompanyOptions) {
  const toast = useToast()
  const company = shallowRef<Company | null>(null)
  /** Whether the person knows that what they type does not count. */
  let knows = false

  const hasControl = computed(() => company.value?.you.hasControl ?? options.isOwn)
  const others = computed(() => company.value?.others ?? [])
  /** Whose wish for control waits for an answer. */
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

  /** The socket is gone: who has come by a link has left control behind. */
  function leave(): void {
    if (!options.isOwn) company.value = null
  }

  const takeBack = (): void => {
    if (company.value !== null) options.give(company.value.you.id)
  }

  /** To the one whose session it is. */
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
