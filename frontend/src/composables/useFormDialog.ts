import { ref } from 'vue'
import { useFocusReturn } from './useFocusReturn.ts'

/**
 * For a dialog with a form, whose text Escape or a click beside the dialog would lose. Once the user has typed, only its
 * buttons close it. Pass `content` to the dialog's property of that name, and `!isWritten` to `dismissible`.
 */
export function useFormDialog() {
  const { content } = useFocusReturn()
  const isWritten = ref(false)
  const onInput = (): void => void (isWritten.value = true)
  return { content: { ...content, onInput }, isWritten }
}
