// Divides the specs among processes: every spec that starts programs has a process of its own, the others share a few.
import { nameOf, type Spec } from './specs.js'
import type { Usual, UsualTable } from './usual.js'

export interface Task {
  readonly name: string
  readonly files: readonly string[]
  /** Milliseconds that it usually takes, or a guess. */
  readonly expectedMs: number
  /** Processors that it keeps busy; infinite when nothing may run beside it. */
  readonly cores: number
  /** It is one file that starts other programs: what it shows may depend on the machine. */
  readonly startsPrograms: boolean
}

/** What a spec takes that was never measured. */
const guesses: { readonly [K in 'story' | 'program' | 'unit']: Required<Usual> } = {
  story: { seconds: 40, cores: 0.5 },
  program: { seconds: 5, cores: 0.8 },
  unit: { seconds: 0.25, cores: 1 },
}

/** The longest first, so that no process works alone at the end; those that measure the machine stand last. */
export function divide(
  specs: readonly Spec[],
  { usual, chunks }: { readonly usual: UsualTable; readonly chunks: number },
): readonly Task[] {
  const expected = ({ file, isStory, isProgram }: Spec): Required<Usual> => ({
    ...guesses[isStory ? 'story' : isProgram ? 'program' : 'unit'],
    ...usual[nameOf(file)],
  })
  const single = (spec: Spec): Task => ({
    name: nameOf(spec.file),
    files: [spec.file],
    expectedMs: 1_000 * expected(spec).seconds,
    cores: spec.isAlone ? Number.POSITIVE_INFINITY : expected(spec).cores,
    startsPrograms: spec.isStory || spec.isProgram,
  })
  const isOwn = (spec: Spec) => spec.isStory || spec.isProgram || spec.isAlone
  const shared = share(
    specs.filter((spec) => !isOwn(spec)).map((spec) => ({ file: spec.file, ms: 1_000 * expected(spec).seconds })),
    chunks,
  )
  const isAlone = ({ cores }: Task) => Number(cores === Number.POSITIVE_INFINITY)
  return [...specs.filter(isOwn).map(single), ...shared].sort(
    (one, other) => isAlone(one) - isAlone(other) || other.expectedMs - one.expectedMs,
  )
}

/** Parts of about equal length; the longest files first, each into the part that is shortest so far. */
function share(files: readonly { readonly file: string; readonly ms: number }[], count: number): readonly Task[] {
  const parts = Array.from({ length: Math.min(count, files.length) }, () => ({ files: [] as string[], ms: 0 }))
  for (const { file, ms } of [...files].sort((one, other) => other.ms - one.ms)) {
    const part = parts.reduce((least, each) => (each.ms < least.ms ? each : least))
    part.files.push(file)
    part.ms += ms
  }
  return parts.map((part, index) => ({
    name: `units ${index + 1} of ${parts.length}`,
    files: part.files,
    expectedMs: part.ms,
    cores: guesses.unit.cores,
    startsPrograms: false,
  }))
}
