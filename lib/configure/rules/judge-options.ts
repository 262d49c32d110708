// Checks the options of a rule against lists of real servers, so that none is written for a server without it.
import { suggest } from '../../base/suggest.js'
import { judgeGates } from '../facts/gates.js'
import { findOption, type Known, type KnownServer } from './known.js'
import type { Rule, RuleOption } from './rules.js'

export interface OptionFault {
  readonly name: string
  readonly message: string
}

/** Faults in the names of a rule's options; client options are not checked. */
export function judgeOptions(rule: Rule, known: Known): readonly OptionFault[] {
  const options = rule.options.filter(({ section }) => section === 'mysqld')
  const names = [...new Set(options.map(({ name }) => name))]
  return names.flatMap((name) => {
    const written = options.filter((option) => option.name === name)
    const message = unknownName(name, known) ?? withoutGate(rule, written, known)
    return message === undefined ? [] : [{ name, message }]
  })
}

function unknownName(name: string, { servers, elsewhere }: Known): string | undefined {
  if (servers.length === 0 || elsewhere.has(name)) return undefined
  if (servers.some((server) => findOption(server, name) !== undefined)) return undefined
  const near = suggest(name, [...new Set(servers.flatMap(({ options }) => [...options.keys()]))])
  const hint = near === undefined ? 'share/rules/known lists them' : `did you mean ${near}?`
  return `no server knows the option ${name}; ${hint}`
}

/** An option that would be written for a server without it. */
function withoutGate(rule: Rule, written: readonly RuleOption[], { servers }: Known): string | undefined {
  const plugins = rule.options
    .filter(({ name }) => name === 'plugin_load_add')
    .map(({ value = '' }) => value.replace(/\.so$/, ''))
  for (const server of servers)
    for (const option of written) {
      const message = isWritten(rule, option, server) ? refusal(option, server, plugins) : undefined
      if (message !== undefined) return message
    }
  return undefined
}

const isWritten = (rule: Rule, option: RuleOption, server: KnownServer): boolean =>
  !option.loose && judgeGates(rule.gates, server) !== 'shut' && judgeGates(option.gates, server) !== 'shut'

function refusal({ name }: RuleOption, server: KnownServer, plugins: readonly string[]): string | undefined {
  const { flavour, version } = server
  const who = `${flavour} ${version.major}.${version.minor}`
  const found = findOption(server, name)
  if (found === undefined) return `${who} knows no option ${name}: add a gate (for: …) or loose: true`
  if (found.plugin === undefined) return undefined
  if (flavour === 'mysql') return `mysql knows the option ${name} only once ${found.plugin} is loaded: add loose: true`
  if (plugins.includes(found.plugin)) return undefined
  return `${who} knows the option ${name} only with the plugin ${found.plugin}: load it here or add loose: true`
}
