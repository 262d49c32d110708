// How much of the long proofs a run takes: a part of the cases with every commit, all of them in `npm run soak`.

/** All cases of every proof are wanted. */
export const isSoak = process.env.SPEC_SOAK === '1'

/** How many cases to try. */
export const cases = ({ commit, soak }: { readonly commit: number; readonly soak: number }): number =>
  isSoak ? soak : commit

/** Every case in a soak; with a commit only so many, spread over all of them, the first and the last included. */
export function sample<T>(all: readonly T[], count: number): readonly T[] {
  if (isSoak || all.length <= count) return all
  const step = (all.length - 1) / (count - 1)
  return Array.from({ length: count }, (_, index) => all[Math.round(index * step)] as T)
}
