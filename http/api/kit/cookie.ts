// Answers that leave a cookie with the browser: its header goes along with the value, which stays free of it.

const cookies = new WeakMap<object, string>()

/** The same answer with a `Set-Cookie` header. */
export function withCookie<T extends object>(answer: T, header: string): T {
  cookies.set(answer, header)
  return answer
}

export const cookieOf = (answer: unknown): string | undefined =>
  typeof answer === 'object' && answer !== null ? cookies.get(answer) : undefined
