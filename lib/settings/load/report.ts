// What a configuration would put in force and from where, with every fault, for people and for programs.
import { type Configuration, effectiveValue, type Scope } from '../configuration/configuration.js'
import {
  type Fault,
  type Origin,
  type OriginKind,
  renderFault,
  renderOrigin,
  renderPlaced,
} from '../configuration/fault.js'
import { shownValue } from '../configuration/view.js'
import type { PlainValue } from '../kit/shape.js'
import { settingNames } from '../table/index.js'
import type { Loaded } from './load.js'

export interface ReportedFault {
  readonly place: string
  readonly section?: string
  readonly name?: string
  /** As it was written; masked where it is or may be a secret. */
  readonly value?: string
  readonly problem: string
}

export interface ReportedSetting {
  readonly name: string
  /** Secrets are masked. */
  readonly value: PlainValue
  readonly origin: OriginKind
  /** `file:line`, `environment VARIABLE`, `flag`, `default`, … */
  readonly place: string
}

export interface ConfigurationReport {
  readonly ok: boolean
  readonly faults: readonly ReportedFault[]
  readonly warnings: readonly ReportedFault[]
  /** Names that have no effect here; the problem says why. */
  readonly recognised: readonly ReportedFault[]
  /** What holds for every cluster that gives no value, the settings of the server included; empty with faults. */
  readonly default: readonly ReportedSetting[]
  /** By cluster, what holds there in place of that. */
  readonly clusters: Readonly<Record<string, readonly ReportedSetting[]>>
}

/** What was found in files, environment and flags, without the values in force. */
export type ConfigurationRemarks = Pick<ConfigurationReport, 'ok' | 'faults' | 'warnings' | 'recognised'>

type Remarked = Pick<Loaded, 'ok' | 'warnings' | 'recognised'> & { readonly faults?: readonly Fault[] }

/** `of`: only what is said of the section of this cluster. */
export function remarksOf({ ok, faults = [], warnings, recognised }: Remarked, of?: string): ConfigurationRemarks {
  const own = (all: readonly Fault[]) => all.filter(({ section }) => of === undefined || section === of)
  return {
    ok,
    faults: own(faults).map(reportedFault),
    warnings: own(warnings).map(reportedFault),
    recognised: own(recognised).map(({ value: _, ...fault }) => reportedFault(fault)),
  }
}

export function reportConfiguration(loaded: Loaded): ConfigurationReport {
  const remarks = remarksOf(loaded)
  if (!loaded.ok) return { ...remarks, default: [], clusters: {} }
  const { configuration } = loaded
  const common = settingsOf(configuration, configuration.server)
  const known = new Set(common.map(identity))
  const clusters = [...configuration.clusters].map(([name, scope]) => {
    const own = settingsOf(configuration, scope).filter((setting) => !known.has(identity(setting)))
    return [name, own] as const
  })
  return { ...remarks, default: common, clusters: Object.fromEntries(clusters) }
}

/** One fault, warning or setting a line, and a last line with the verdict; settings at their default only where `all` is set. */
export function renderReport(loaded: Loaded, { all = false }: { readonly all?: boolean } = {}): string {
  const report = reportConfiguration(loaded)
  const shows = ({ origin }: ReportedSetting) => all || origin !== 'default'
  const lines = remarkLines(report)
  const sections = [
    ...(report.ok ? renderSection('Default', report.default.filter(shows)) : []),
    ...Object.entries(report.clusters).flatMap(([name, settings]) => renderSection(name, settings.filter(shows))),
    ...(report.ok && !all ? [ALL_HINT] : []),
  ]
  return `${[...lines.slice(0, -1), ...sections, ...lines.slice(-1)].join('\n')}\n`
}

const ALL_HINT = 'Settings at their default are left out; --all lists them.'

/** One fault, warning and entry without effect a line, and a last line with the verdict. */
export function remarkLines({ ok, faults, warnings, recognised }: ConfigurationRemarks): readonly string[] {
  const counts = [counted(faults.length, 'error'), counted(warnings.length, 'warning')].join(', ')
  return [
    ...faults.map((fault) => `error: ${renderPlaced(fault)}`),
    ...warnings.map((fault) => `warning: ${renderPlaced(fault)}`),
    ...recognised.map((fault) => `no effect: ${renderPlaced({ ...fault, problem: withoutPrefix(fault.problem) })}`),
    `${ok ? 'valid' : 'not valid'}: ${counts}, ${recognised.length} without effect`,
  ]
}

const withoutPrefix = (problem: string): string => problem.replace(/^no effect: /, '')

/** Every entry without effect with its place and reason, and their number. */
export const explainRecognised = ({ recognised }: Loaded): string =>
  `${[...recognised.map(renderRecognised), `${recognised.length} without effect`].join('\n')}\n`

/** The value is left out: it has no meaning here, and may be a secret. */
const renderRecognised = ({ value: _, problem, ...fault }: Fault): string =>
  renderFault({ ...fault, problem: withoutPrefix(problem) })

const renderSection = (title: string, settings: readonly ReportedSetting[]): readonly string[] => [
  `[${title}]`,
  ...settings.map(({ name, value, place }) => `${name} = ${JSON.stringify(value)} (${place})`),
]

const settingsOf = ({ server }: Configuration, own: Scope): readonly ReportedSetting[] =>
  settingNames.map((name) => {
    const { value, origin } = effectiveValue(server, own, name)
    return { name, value: shownValue(name, value), ...reportedOrigin(origin) }
  })

const reportedOrigin = (origin: Origin): Pick<ReportedSetting, 'origin' | 'place'> => ({
  origin: origin.kind,
  place: renderOrigin(origin),
})

const reportedFault = ({ origin, section, name, value, problem }: Fault): ReportedFault => ({
  place: renderOrigin(origin),
  ...(section === undefined ? {} : { section }),
  ...(name === undefined ? {} : { name }),
  ...(value === undefined ? {} : { value }),
  problem,
})

const identity = ({ name, value, place }: ReportedSetting): string => JSON.stringify([name, value, place])

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
