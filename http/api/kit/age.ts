// Answers that are older than the request: how old they are goes along in the header `Age`.

const ages = new WeakMap<object, number>()

/** The same answer, read `ms` ago. */
export function aged<T extends object>(answer: T, ms: number): T {
  ages.set(answer, Math.max(0, Math.round(ms / 1_000)))
  return answer
}

/** Seconds; undefined for an answer of this moment. */
export const ageOf = (answer: unknown): number | undefined =>
  typeof answer === 'object' && answer !== null ? ages.get(answer) : undefined
