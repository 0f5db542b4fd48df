import { nextTick, ref, useTemplateRef } from 'vue'
import { namedField } from './namedField.ts'
import { useSubmit } from './useSubmit.ts'

/** What is wrong with the fields of a form, by the names that the API has for them. */
export type FormProblems = Readonly<Partial<Record<string, string>>>

/**
 * Submits a form whose fields say what is wrong with them: as far as the page knows, and then as the server says. The
 * first wrong field gets the focus. The form has `ref="element"`.
 */
export function useFormProblems(
  find: () => FormProblems,
  isField: (name: string) => boolean,
  send: () => Promise<void>,
) {
  const element = useTemplateRef<HTMLFormElement>('element')
  const problems = ref<FormProblems>({})

  async function show(found: FormProblems): Promise<void> {
    problems.value = found
    await nextTick()
    // Fields that were folded are in the page one tick later.
    await nextTick()
    element.value?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }

  const { busy, error, submit } = useSubmit(async () => {
    const found = find()
    if (Object.keys(found).length > 0) return show(found)
    try {
      await send()
    } catch (cause) {
      const { field, message } = namedField(cause)
      if (field === null || !isField(field)) throw cause
      await show({ [field]: message })
    }
  })
  return { problems, busy, error, submit }
}
