// Builds the archives of proxies inside a pool thread: few and small, one at a time.
import { readFileSync, readlinkSync } from 'node:fs'
import path from 'node:path'
import { modeOf } from '../../lib/base/files/modes.js'
import { evaluateProxy, type ProxyInput, type RuleSet, type TreeEntry } from '../../lib/configure/index.js'
import { unpackArchive } from '../../lib/orchestrator/unpack.js'
import { materialFiles } from '../../lib/tls/index.js'
import { ARCHIVE_NAME, labelOf, raiseFlags } from './build.js'
import { writeWhole } from './draft.js'
import { digest, LAYOUT, type Outcome, type ProxyBatch, type ProxyTask } from './input.js'
import { deflatePiece, stitchGzip } from './stitch.js'
import { tarEnding } from './tar.js'

/** A builder of proxies' archives for one thread. */
export const createProxyBuilder =
  (rules: RuleSet) =>
  async ({ proxies, rulesDigest, force }: ProxyBatch): Promise<readonly Outcome[]> => {
    const outcomes: Outcome[] = []
    for (const proxy of proxies) outcomes.push(await buildProxy(proxy, { rules, rulesDigest, force }))
    return outcomes
  }

interface How {
  readonly rules: RuleSet
  readonly rulesDigest: string
  readonly force: boolean
}

async function buildProxy(task: ProxyTask, { rules, rulesDigest, force }: How): Promise<Outcome> {
  const { directory, input, tree } = task
  const file = path.join(directory, ARCHIVE_NAME)
  try {
    const tls = input.tags.includes('ssl') ? readTls(path.dirname(directory)) : undefined
    const label = digest(JSON.stringify([LAYOUT, rulesDigest, input, tls?.generation]))
    const before = labelOf(file)
    const isUnchanged = !force && before === label
    if (!isUnchanged) {
      const evaluated = evaluateProxy(rules, input)
      if (!evaluated.ok) return { failed: `${input.cluster} ${input.proxy.name}: ${evaluated.failure.message}` }
      const rest = tarEnding([...evaluated.value, ...tlsEntriesOf(input, tls?.texts)])
      writeWhole(file, stitchGzip({ first: nothing, more: [], rest, label }))
      // What a proxy reads only when it starts needs a restart to count.
      if (before !== undefined && before !== label) raiseFlags(directory, ['config', 'restart'])
    }
    const unpacked = tree ? await unpackArchive(file, directory, { sync: true }) : undefined
    if (unpacked && !unpacked.ok) return { failed: unpacked.failure.message }
    return isUnchanged ? 'unchanged' : 'built'
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { failed: reason.includes(directory) ? reason : `${directory}: ${reason}` }
  }
}

const nothing = deflatePiece(Buffer.alloc(0), 'compress')

interface ClientTls {
  /** Changes with the texts. */
  readonly generation: string
  readonly texts: Readonly<Record<string, string>>
}

/** What a client of the databases presents and verifies; a proxy does not get the key of a server. */
function readTls(clusterDirectory: string): ClientTls {
  const generation = readlinkSync(path.join(clusterDirectory, 'ssl'))
  const files = [materialFiles.ca, materialFiles.clientCert, materialFiles.clientKey]
  const texts = files.map((name) => [name, readFileSync(path.resolve(clusterDirectory, generation, name), 'utf8')])
  return { generation, texts: Object.fromEntries(texts) }
}

function tlsEntriesOf({ proxy }: ProxyInput, texts: Readonly<Record<string, string>> = {}): readonly TreeEntry[] {
  const folders = ['etc', `etc/${proxy.software}`, `etc/${proxy.software}/ssl`]
  const files = Object.entries(texts)
  if (files.length === 0) return []
  return [
    ...folders.slice(1).map((each) => ({ kind: 'directory' as const, path: each, mode: modeOf('shared') })),
    ...files.map(([name, text]) => ({
      ...{ kind: 'file' as const, path: `${folders.at(-1)}/${name}`, text },
      mode: modeOf(name.includes('key') ? 'key' : 'certificate'),
    })),
  ]
}
