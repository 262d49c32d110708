// `manager configurator`: checks the rule sets, explains a tag, shows what a change of tags changes for a server.
import path from 'node:path'
import { type LoadedRules, readRules } from '../../actors/archive/read-rules.js'
import { archiveInputs } from '../../actors/manager/delivery/archives.js'
import { proxyInputs } from '../../actors/manager/delivery/proxy-archives.js'
import { counted } from '../../lib/base/counted.js'
import { sharePath } from '../../lib/base/package-root.js'
import { fail, ok, type Result } from '../../lib/base/result.js'
import { suggest } from '../../lib/base/suggest.js'
import {
  compareProxyTags,
  compareTags,
  explainProxyTag,
  explainTag,
  type RuleSet,
  readConfigureSettings,
  renderTagChange,
  type Software,
  type Subject,
} from '../../lib/configure/index.js'
import { addressText } from '../../lib/model/server/server.js'
import { parseVersion } from '../../lib/model/server/version.js'
import { defaultSettings, loadConfiguration, renderFault, type Settings } from '../../lib/settings/index.js'

type Verb = (request: Request) => Promise<Result<readonly string[]>>

interface Request {
  readonly rules: RuleSet
  readonly proxyRules: RuleSet
  /** Arguments after the verb that are not flags. */
  readonly word: string | undefined
  readonly flags: ReadonlyMap<string, string>
  /** The configuration file, when one is named. */
  readonly file?: string
}

const verbs: Readonly<Record<string, Verb>> = {
  check: async ({ rules, proxyRules, word }) =>
    ok([
      soundText(rules, word ?? databaseRules),
      ...(word === undefined ? [soundText(proxyRules, proxyRulesFolder)] : []),
    ]),
  explain,
  diff,
}

const soundText = ({ rules }: RuleSet, folder: string): string =>
  `${counted(rules.length, 'rule')} in ${folder} ${rules.length === 1 ? 'is' : 'are'} sound`

const databaseRules = sharePath('rules', 'database')
const proxyRulesFolder = sharePath('rules', 'proxy')
const USAGE = 'Usage: manager configurator check [FOLDER] | explain TAG | diff +TAG,-TAG [--proxy=HOST:PORT]\n'

/** The exit status: 0 when done, 1 with a message when not, 2 for words that it does not understand. */
export async function runConfigurator(words: readonly string[], file?: string): Promise<number> {
  const plain = words.filter((each, index) => !each.startsWith('--') && words[index - 1] !== '--config')
  const [name = '', word] = plain
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined
  if (verb === undefined || (name !== 'check' && word === undefined)) {
    process.stderr.write(USAGE)
    return 2
  }
  const folder = name === 'check' ? (word ?? databaseRules) : databaseRules
  const loaded = await readRules(folder, path.basename(folder) === 'proxy' ? 'proxy' : 'database')
  const proxies = await readRules(proxyRulesFolder, 'proxy')
  const flags = new Map(words.flatMap((each) => flagOf(each) ?? []))
  const request = { word, flags, ...(file === undefined ? {} : { file }) }
  const answer = await answerOf(verb, request, { loaded, proxies })
  if (answer.ok) process.stdout.write(`${answer.value.join('\n')}\n`)
  else process.stderr.write(`${answer.failure.message}\n`)
  return answer.ok ? 0 : 1
}

/** The verb's answer once both rule sets are sound. */
async function answerOf(
  verb: Verb,
  request: Omit<Request, 'rules' | 'proxyRules'>,
  { loaded, proxies }: Readonly<Record<'loaded' | 'proxies', Result<LoadedRules>>>,
): Promise<Result<readonly string[]>> {
  if (!loaded.ok) return loaded
  return proxies.ok ? verb({ ...request, rules: loaded.value.set, proxyRules: proxies.value.set }) : proxies
}

function flagOf(word: string): readonly (readonly [string, string])[] | undefined {
  const [, name, value] = /^--([\w-]+)=(.*)$/.exec(word) ?? []
  return name === undefined || value === undefined ? undefined : [[name, value]]
}

async function explain(request: Request): Promise<Result<readonly string[]>> {
  const { rules, proxyRules, word = '' } = request
  const rule = rules.rules.find(({ tag }) => tag === word)
  const ofProxies = proxyRules.rules.filter(({ tag }) => tag === word).flatMap(explainProxyTag)
  if (rule === undefined) return ofProxies.length === 0 ? unknownTag([rules, proxyRules], word) : ok(ofProxies)
  const subject = await subjectOf(request)
  if (!subject.ok) return subject
  const lines = explainTag(rule, subject.value)
  return ok(ofProxies.length === 0 ? lines : [...lines, '', ...ofProxies])
}

function unknownTag(sets: readonly RuleSet[], tag: string): Result<never> {
  const near = suggest(
    tag,
    sets.flatMap(({ rules }) => rules.map((rule) => rule.tag)),
  )
  const hint = near === undefined ? 'dist/doc/tags.md lists them' : `did you mean ${near}?`
  return fail('bad-request', `no rule defines the tag ${tag}; ${hint}`)
}

/** `+a,-b`, or a whole list of tags without signs. */
async function diff(request: Request): Promise<Result<readonly string[]>> {
  if (request.flags.has('proxy')) return diffProxy(request)
  const subject = await subjectOf(request)
  if (!subject.ok) return subject
  const change = compareTags(request.rules, subject.value, changedTags(subject.value.tags, request.word))
  const [unknown] = change.unknown.filter((tag) => !subject.value.tags.includes(tag))
  return unknown === undefined ? ok(renderTagChange(change)) : unknownTag([request.rules], unknown)
}

function changedTags(tags: readonly string[], word = ''): readonly string[] {
  const words = word.split(',').filter(Boolean)
  if (!words.every((each) => /^[+-]/.test(each))) return words
  const dropped = new Set(words.filter((each) => each.startsWith('-')).map((each) => each.slice(1)))
  const added = words.filter((each) => each.startsWith('+')).map((each) => each.slice(1))
  return [...new Set([...tags.filter((tag) => !dropped.has(tag)), ...added])]
}

async function diffProxy({ proxyRules, file, flags, word }: Request): Promise<Result<readonly string[]>> {
  const cluster = await clusterOf(file, flags.get('cluster'))
  if (!cluster.ok) return cluster
  const wanted = flags.get('proxy') ?? ''
  const input = proxyInputs(cluster.value.name, cluster.value.settings).find(({ proxy }) => proxy.name === wanted)
  if (input === undefined) return fail('bad-request', `${cluster.value.name} has no proxy ${wanted}`)
  const tags = changedTags(input.tags, word)
  const unknown = tags.find((tag) => !input.tags.includes(tag) && !proxyRules.rules.some((rule) => rule.tag === tag))
  return unknown === undefined ? compareProxyTags(proxyRules, input, tags) : unknownTag([proxyRules], unknown)
}

/** The server that is asked about: of the configuration, or of a cluster with the default settings. */
async function subjectOf({ file, flags }: Request): Promise<Result<Subject>> {
  const cluster = await clusterOf(file, flags.get('cluster'))
  if (!cluster.ok) return cluster
  const inputs = archiveInputs(cluster.value.name, cluster.value.settings)
  const wanted = flags.get('server')
  const input = inputs.find(({ server }) => wanted === undefined || addressText(server) === wanted)
  if (input === undefined) return fail('bad-request', `${cluster.value.name} has no server ${wanted ?? ''}`.trim())
  const read = readConfigureSettings(input.settings)
  const software = softwareOf(flags.get('software'))
  if (!read.ok) return read
  return software.ok ? ok({ ...input, ...read.value, software: software.value }) : software
}

interface NamedCluster {
  readonly name: string
  readonly settings: Settings
}

async function clusterOf(file: string | undefined, wanted: string | undefined): Promise<Result<NamedCluster>> {
  if (file === undefined)
    return ok({ name: wanted ?? 'demo', settings: defaultSettings({ 'db-servers-hosts': ['127.0.0.1:3306'] }) })
  const loaded = await loadConfiguration({ file, flags: [], environment: process.env })
  if (!loaded.ok) return fail('bad-configuration', loaded.faults.map(renderFault).join('\n'))
  const { clusters } = loaded.configuration
  const name = wanted ?? [...clusters.keys()][0] ?? ''
  const scope = clusters.get(name)
  return scope === undefined
    ? fail('bad-request', `${file} has no cluster ${name}`.trim())
    : ok({ name, settings: scope.settings })
}

function softwareOf(text = 'mariadb-10.11.19'): Result<Software> {
  const [, flavour, version = ''] = /^(mariadb|mysql|percona)-(\d+\.\d+(?:\.\d+)?)$/.exec(text) ?? []
  if (flavour !== 'mariadb' && flavour !== 'mysql' && flavour !== 'percona')
    return fail('bad-request', `"${text}" is not a known software: use for example mariadb-10.11.19 or mysql-8.4.3`)
  return ok({ flavour, version: parseVersion(version) })
}
