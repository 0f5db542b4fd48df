import { saveFile } from './saveFile.ts'

/** Hands a text to the browser as a file to be saved. */
export const saveText = (name: string, text: string): void =>
  saveFile(new Blob([text], { type: 'text/plain;charset=utf-8' }), name)
