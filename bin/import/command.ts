// `manager import`: cluster files from the configuration of another tool, in observe mode, with a report of every value.
import { access, readFile } from 'node:fs/promises'
import path from 'node:path'
import { modeOf, printMode } from '../../lib/base/files/modes.js'
import { fail, ok, type Result } from '../../lib/base/result.js'
import { explainRecognised, loadConfiguration, renderFault, splitAddress } from '../../lib/settings/index.js'
import { atomicCreate, atomicWrite, reasonOf } from '../../lib/store/kit/atomic-write.js'
import { type Assembled, assemble, linesOfOthers } from './assemble.js'
import { listOf } from './convert.js'
import type { Entry, Foreign, Wishes } from './foreign.js'
import { maxscale } from './maxscale.js'
import { mha } from './mha.js'
import { orchestrator } from './orchestrator.js'
import { renderCluster, renderImport } from './render.js'

export const tools = { orchestrator, mha, maxscale } as const satisfies Readonly<Record<string, Foreign>>

export const importUsage = `Usage: manager import --from orchestrator|mha|maxscale FILE [FILE …] [--output DIR|-] [--force]
                      [--cluster NAME] [--hosts HOST,HOST:PORT,…] [--proxy-host HOST]
       manager import --from manager FILE`

const FLAGS = ['from', 'output', 'cluster', 'hosts', 'proxy-host'] as const
const MOST_BYTES = 1024 * 1024

/** What goes to standard output and what to standard error. */
export interface Imported {
  readonly text: string
  readonly report: string
}

export interface Terminal {
  /** Whether standard output is one: no secret is printed there. */
  readonly isTerminal: boolean
  readonly width: number
}

type Words = Readonly<Partial<Record<(typeof FLAGS)[number], string>>> & {
  readonly files: readonly string[]
  readonly force: boolean
}

export async function importCommand(given: readonly string[], terminal: Terminal): Promise<Result<Imported>> {
  const words = readWords(given)
  if (!words.ok) return words
  const { from, files } = words.value
  if (from === 'manager' && files.length === 1) return recognise(files[0] ?? '')
  const foreign = Object.entries(tools).find(([name]) => name === from)?.[1]
  if (foreign === undefined || files.length === 0) return fail('bad-request', importUsage)
  const wishes = readWishes(words.value)
  if (!wishes.ok) return wishes
  const entries = await readAll(foreign, files)
  if (!entries.ok) return entries
  const sorted = foreign.sort(entries.value, wishes.value)
  if (!sorted.ok) return sorted
  const clusters = sorted.value.clusters.map((input) => assemble(foreign, input))
  const twice = clusters.find(({ name }, index) => clusters.findIndex((other) => other.name === name) !== index)
  if (twice)
    return fail(
      'bad-configuration',
      `two clusters would be called ${twice.name}: import them one by one, with --cluster`,
    )
  const others = linesOfOthers(foreign, sorted.value.others)
  const reports = [
    ...clusters.map(({ name, lines }) => renderImport(`Cluster ${name}`, lines, terminal.width)),
    ...(others.length === 0 ? [] : [renderImport('Of no cluster', others, terminal.width)]),
  ].join('\n')
  if (words.value.output === '-')
    return ok({ text: clusters.map((each) => renderCluster(each, terminal.isTerminal)).join('\n'), report: reports })
  const written = await writeAll(clusters, words.value.output ?? '.', words.value.force)
  return written.ok ? ok({ text: '', report: `${reports}\n${written.value}` }) : written
}

/** The configuration of the existing system is read as it is: which of its names have an effect here. */
async function recognise(file: string): Promise<Result<Imported>> {
  const loaded = await loadConfiguration({ file, environment: {} })
  if (!loaded.ok) return fail('bad-configuration', loaded.faults.map(renderFault).join('\n'))
  const unknown = loaded.warnings.map((warning) => `warning: ${renderFault(warning)}\n`).join('')
  const names = explainRecognised(loaded)
  const text =
    `${file} is read as it is: no other file is needed. Set monitoring-observe = true in [Default] for the first start.\n` +
    (names.trim() === ''
      ? 'Every name in it has an effect.\n'
      : `Names without an effect, each with the reason:\n${names}`)
  return ok({ text, report: unknown })
}

async function readAll(foreign: Foreign, files: readonly string[]): Promise<Result<readonly Entry[]>> {
  const all: Entry[] = []
  const faults: string[] = []
  for (const file of files) {
    const text = await readFile(file, 'utf8').catch((error: unknown) => new Error(reasonOf(error)))
    if (text instanceof Error) return fail('file-unreadable', `${file}: ${text.message}`)
    if (text.length > MOST_BYTES)
      return fail(
        'bad-configuration',
        `${file}: larger than ${MOST_BYTES} bytes: it is no configuration of ${foreign.title}`,
      )
    const entries = foreign.read(text, file)
    if (entries.ok) all.push(...entries.value)
    else faults.push(entries.failure.message)
  }
  return faults.length > 0 ? fail('bad-configuration', faults.join('\n')) : ok(all)
}

/** None is written where one exists already, unless forced; each is then loaded, and what is wrong with it is named. */
async function writeAll(clusters: readonly Assembled[], directory: string, force: boolean): Promise<Result<string>> {
  const targets = clusters.map((cluster) => ({ cluster, file: path.join(directory, `${cluster.name}.toml`) }))
  const there = await Promise.all(
    targets.map(({ file }) =>
      access(file).then(
        () => true,
        () => false,
      ),
    ),
  )
  const existing = targets.filter((_, index) => there[index]).map(({ file }) => file)
  const refusal = (names: readonly string[]) =>
    fail(
      'wrong-state',
      `${names.join(', ')}: exists already, nothing was written: --force replaces it, --output DIR writes elsewhere`,
    )
  if (existing.length > 0 && !force) return refusal(existing)
  const texts: string[] = []
  for (const { cluster, file } of targets) {
    const text = renderCluster(cluster)
    const created = force
      ? await atomicWrite(file, text, { mode: modeOf('configuration') })
      : await atomicCreate(file, text)
    if (!created.ok) return created
    if (created.value === false) return refusal([file])
    texts.push(await judge(file))
  }
  return ok(texts.join(''))
}

/** A cluster file stands beside a main file, which has the section [Default]. */
async function judge(file: string): Promise<string> {
  const loaded = await loadConfiguration({ file, environment: {} })
  const warnings = loaded.warnings.filter(({ problem }) => problem !== 'no section [Default]')
  const faults = loaded.ok ? warnings : [...loaded.faults, ...warnings]
  const verdict = faults.length === 0 ? 'valid' : 'to be corrected before a start'
  return `${file}: written (mode ${printMode(modeOf('configuration'))}), ${verdict}\n${faults.map((fault) => `  ${renderFault(fault)}\n`).join('')}`
}

function readWishes({ hosts = '', cluster, 'proxy-host': proxyHost }: Words): Result<Wishes> {
  const all = listOf(hosts)
  const wrong = [...all, ...(proxyHost === undefined ? [] : [proxyHost])].find(
    (host) => splitAddress(host) === undefined,
  )
  if (wrong !== undefined) return fail('bad-request', `${wrong}: no address: write host, host:port or [address]:port`)
  return ok({
    hosts: all,
    ...(cluster === undefined ? {} : { cluster }),
    ...(proxyHost === undefined ? {} : { proxyHost }),
  })
}

function readWords(words: readonly string[]): Result<Words> {
  const values: Partial<Record<(typeof FLAGS)[number], string>> = {}
  const files: string[] = []
  let force = false
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? ''
    const [name = '', value] = word.split(/=(.*)/s)
    const flag = FLAGS.find((each) => name === `--${each}`)
    const given = value ?? words[index + 1]
    if (word === '--force') force = true
    else if (flag !== undefined && given !== undefined) {
      values[flag] = given
      if (value === undefined) index += 1
    } else if (word.startsWith('-')) return fail('bad-request', `${word}: not a flag of import\n${importUsage}`)
    else files.push(word)
  }
  return ok({ ...values, files, force })
}
