/** A program that counts, so that a test sees whether output is missing or repeated. */

/** Executes a program that prints a number every 10 ms, from 0 on. A new process would start at 0. */
export const COUNTER = `exec python3 -uc 'import itertools,time
for i in itertools.count(): print("n%d" % i) or time.sleep(0.01)'\r`

/** The counter's numbers, in order of arrival. */
export const numbersIn = (text: string): number[] =>
  [...text.matchAll(/^n(\d+)\r$/gm)].map(([, number]) => Number(number))
