import { saveFile } from './saveFile.ts'

/** Makes the browser save a text as a file. */
export const saveText = (name: string, text: string): void =>
  saveFile(new Blob([text], { type: 'text/plain;charset=utf-8' }), name)
