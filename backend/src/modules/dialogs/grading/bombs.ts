/** Functions that fill the machine. */
import { forEachChild, type SyntaxNode } from 'unbash'
import { knownText } from './words.ts'

/** Whether a function starts itself beside itself, which fills the machine. */
export const callsItself = (name: string, node: SyntaxNode, isBeside: boolean): boolean => {
  if (node.type === 'Command' && isBeside && node.name && knownText(node.name) === name) return true
  const beside = isBeside || node.type === 'Pipeline' || (node.type === 'Statement' && node.background === true)
  let does = false
  forEachChild(node, (child) => (does ||= callsItself(name, child, beside)))
  return does
}
