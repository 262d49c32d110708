// How long something took, for people.

/** `47 s`, `2 min 5 s`. */
export function secondsText(ms: number): string {
  const whole = Math.round(ms / 1_000)
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`
}
