// Divides the specs among processes: every spec that starts programs has a process of its own, the others share a few.
import type { Spec } from './specs.js'

export interface Task {
  readonly name: string
  readonly files: readonly string[]
  /** Measured milliseconds of an earlier run, or a guess. */
  readonly expectedMs: number
  /** It measures the machine: nothing runs beside it. */
  readonly isAlone: boolean
  /** It is one file that starts other programs: what it shows may depend on the machine. */
  readonly startsPrograms: boolean
}

export type Times = Readonly<Record<string, number>>

/** Specs whose bounds are figures of a machine that does nothing else. */
const alone = /^dist\/spec\/(live\/monitor-load|support\/canned\/fleet)\.spec\.js$/

/** What a spec takes that was never measured here, milliseconds. */
const GUESS = { story: 20_000, program: 3_000, unit: 250 } as const

/** Stories that would leave one process alone at the end of a first run if they began late. */
const long =
  /^dist\/spec\/(live\/(rule-sets|journal|onpremise-reprovision|partition|watching|host-orders|lost-history|mysql-reprovision|switchover-refused|prometheus|far-away|reseed|archive|minority|backup-matrix|daemon-life|mysql-onpremise-reprovision)|lib\/(configure\/accepted|backup\/place\/places|dialect\/reads))\.spec\.js$/
const LONG_GUESS = 100_000

/** The longest first, so that no process works alone at the end; those that measure stand last. */
export function divide(specs: readonly Spec[], { times, chunks }: { times: Times; chunks: number }): readonly Task[] {
  const expected = ({ file, isStory, isProgram }: Spec) =>
    times[file] ?? (long.test(file) ? LONG_GUESS : isStory ? GUESS.story : isProgram ? GUESS.program : GUESS.unit)
  const single = (spec: Spec): Task => ({
    name: nameOf(spec.file),
    files: [spec.file],
    expectedMs: expected(spec),
    isAlone: alone.test(spec.file),
    startsPrograms: spec.isStory || spec.isProgram,
  })
  const isOwn = (spec: Spec) => spec.isStory || spec.isProgram || alone.test(spec.file)
  const shared = share(
    specs.filter((spec) => !isOwn(spec)).map((spec) => ({ file: spec.file, ms: expected(spec) })),
    chunks,
  )
  return [...specs.filter(isOwn).map(single), ...shared].sort(
    (one, other) => Number(one.isAlone) - Number(other.isAlone) || other.expectedMs - one.expectedMs,
  )
}

/** Parts of about equal length. */
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
    isAlone: false,
    startsPrograms: false,
  }))
}

/** `dist/spec/live/rolling.spec.js` is `live/rolling`. */
export const nameOf = (file: string): string => file.replace(/^dist\/spec\/|\.spec\.js$/g, '')
