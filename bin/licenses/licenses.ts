// The verbs of the tool: a pair of keys, a signed license, and whether one counts.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdir, open, readFile } from 'node:fs/promises'
import path from 'node:path'
import { Command, CommanderError, Option } from 'commander'
import { modeOf } from '../../lib/base/files/modes.js'
import { versionText } from '../../lib/base/package-root.js'
import { fail, ok, type Result } from '../../lib/base/result.js'
import { now } from '../../lib/base/time.js'
import {
  type HostedPlan,
  hostedPlans,
  parseUri,
  readLicense,
  readSigningKey,
  renderLicense,
  renderUri,
  signatureOf,
  signLicense,
} from '../../lib/hosted/index.js'

export interface LicenseAnswer {
  readonly text: string
  /** 0: done; 1: refused, or the license does not count; 2: not understood. */
  readonly status: number
}

interface Signing {
  readonly key: string
  readonly uri: string
  readonly plan: HostedPlan
  readonly out: string
}

/** Runs the words of one call. */
export async function runLicenses(words: readonly string[]): Promise<LicenseAnswer> {
  let answer: Result<string> = ok('')
  let shown = ''
  const collect = (text: string) => {
    shown += text
  }
  const program = new Command('manager-license')
    .description('Makes and signs the licenses of a hosted service, for managers without a way to it.')
    .version(versionText())
    .exitOverride()
    .configureOutput({ writeOut: collect, writeErr: collect })
  program
    .command('keygen')
    .description(
      'create the pair of keys: signing.pem stays with you, license.pub goes into the packages (share/hosted)',
    )
    .requiredOption('--out <folder>', 'where the two files are written; none is replaced')
    .action(async ({ out }: { out: string }) => {
      answer = await makeKeys(out)
    })
  program
    .command('sign')
    .description('write license.json and license.sig')
    .requiredOption('--key <file>', 'signing.pem')
    .requiredOption('--uri <uri>', 'the manager that it is for: domain.subdomain.zone')
    .addOption(new Option('--plan <plan>', 'its plan').choices(hostedPlans).makeOptionMandatory())
    .requiredOption('--out <folder>', 'where the two files are written; none is replaced')
    .action(async (options: Signing) => {
      answer = await makeLicense(options)
    })
  program
    .command('verify')
    .description('judge a license as a manager does')
    .requiredOption('--key <file>', 'license.pub')
    .requiredOption('--uri <uri>', 'the manager that it should count for')
    .argument('<file>', 'license.json')
    .action(async (file: string, { key, uri }: { key: string; uri: string }) => {
      answer = await verifyLicense(file, { key, uri })
    })
  try {
    await program.parseAsync([...words], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return { text: shown.trimEnd() || error.message, status: error.exitCode === 0 ? 0 : 2 }
  }
  return answer.ok ? { text: answer.value, status: 0 } : { text: answer.failure.message, status: 1 }
}

async function makeKeys(folder: string): Promise<Result<string>> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const [secret, open] = [path.join(folder, 'signing.pem'), path.join(folder, 'license.pub')]
  return written(`${secret} stays with you, ${open} goes into the packages as share/hosted/license.pub`, [
    { file: secret, bytes: privateKey.export({ type: 'pkcs8', format: 'pem' }), mode: modeOf('key') },
    { file: open, bytes: publicKey.export({ type: 'spki', format: 'pem' }), mode: modeOf('certificate') },
  ])
}

async function makeLicense({ key, uri, plan, out }: Signing): Promise<Result<string>> {
  const named = parseUri(uri)
  if (!named.ok) return named
  const bytes = await readFile(key).catch((error: Error) => error)
  if (bytes instanceof Error) return fail('bad-license', `${key}: ${bytes.message}`)
  const signing = readSigningKey(bytes)
  if (!signing.ok) return fail('bad-license', `${key}: ${signing.failure.message}`)
  const license = renderLicense({ uri: named.value, plan, issuedAt: now() }, randomBytes(16).toString('hex'))
  const file = path.join(out, 'license.json')
  return written(`${file} and ${signatureOf(file)}: ${plan} for ${renderUri(named.value)}`, [
    { file, bytes: license, mode: modeOf('certificate') },
    { file: signatureOf(file), bytes: signLicense(license, signing.value), mode: modeOf('certificate') },
  ])
}

async function verifyLicense(
  file: string,
  { key, uri }: { readonly key: string; readonly uri: string },
): Promise<Result<string>> {
  const own = parseUri(uri)
  if (!own.ok) return own
  const license = await readLicense({ file, key }, own.value)
  return license.ok ? ok(`${file} counts for ${uri}: ${license.value.plan}`) : license
}

interface NewFile {
  readonly file: string
  readonly bytes: string | Buffer
  readonly mode: number
}

/** Writes files that do not exist yet; a key or license is never replaced. */
async function written(text: string, files: readonly NewFile[]): Promise<Result<string>> {
  try {
    for (const { file, bytes, mode } of files) {
      await mkdir(path.dirname(file), { recursive: true, mode: modeOf('packageFolder') })
      const handle = await open(file, 'wx', mode)
      try {
        await handle.writeFile(bytes)
        await handle.sync()
      } finally {
        await handle.close()
      }
    }
    return ok(text)
  } catch (error) {
    return fail('file-unwritable', error instanceof Error ? error.message : String(error))
  }
}
