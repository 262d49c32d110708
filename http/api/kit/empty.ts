// Answers that are empty because what they read is not there: the reason goes along in the header `X-Empty-Reason`.

const reasons = new WeakMap<object, string>()

/** The same answer, empty for this reason. */
export function emptyBecause<T extends object>(answer: T, reason: string): T {
  reasons.set(answer, reason)
  return answer
}

/** As a header can carry it; undefined for any other answer. */
export function emptyReasonOf(answer: unknown): string | undefined {
  const reason = typeof answer === 'object' && answer !== null ? reasons.get(answer) : undefined
  return reason?.replaceAll('\u2019', "'").replace(/[^\x20-\x7e]+/g, ' ')
}
