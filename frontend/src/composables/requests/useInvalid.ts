import type { Ref } from 'vue'

/** What is wrong with a field, in place of the browser's words in a bubble of its own. */
function problemOf({ validity, validationMessage }: HTMLInputElement): string {
  if (validity.valueMissing) return 'Fill in this field.'
  if (validity.patternMismatch) return 'Use lower-case letters, digits and hyphens.'
  return validity.typeMismatch ? 'Enter an address that begins with https:// or http://.' : validationMessage
}

/**
 * Shows what the browser finds wrong with fields beside them, by their names, and gives the first one the focus. Returns the
 * handler of a form's `invalid` events, for the capture phase.
 */
export function useInvalid(errors: Ref<Record<string, string | undefined>>): (event: Event) => void {
  return (event) => {
    const { target } = event
    if (!(target instanceof HTMLInputElement)) return
    event.preventDefault()
    if (Object.keys(errors.value).length === 0) target.focus()
    errors.value = { ...errors.value, [target.name]: problemOf(target) }
  }
}
