// The bill of materials of a release, CycloneDX 1.5: every package whose code is in it, from the lock file.
import { createHash } from 'node:crypto'
import { packageVersion } from '../../lib/base/package-root.js'
import { isoTime, SECOND } from '../../lib/base/time.js'
import { closureOf, type LockedPackage, type LockFile, nameAt, resolveFrom } from './lock-file.js'

export interface SbomInput {
  readonly lock: LockFile
  /** Names of the packages that the sources import. */
  readonly names: readonly string[]
  /** Seconds since the epoch. */
  readonly at: number
  readonly commit: string
}

export function renderSbom({ lock, names, at, commit }: SbomInput): string {
  const folders = closureOf(lock, names)
  const own = `pkg:npm/manager@${packageVersion}`
  const component = {
    ...{ type: 'application', 'bom-ref': own, name: 'manager', version: packageVersion, purl: own },
    licenses: [{ license: { id: 'Apache-2.0' } }],
    properties: [{ name: 'commit', value: commit }],
  }
  const components = folders.map((folder) => describe(folder, packageAt(lock, folder)))
  const dependencies = [
    { ref: own, dependsOn: names.map((name) => refOf(lock, resolveFrom(lock, '', name))).sort() },
    ...folders.map((folder) => ({
      ref: refOf(lock, folder),
      dependsOn: Object.keys(packageAt(lock, folder).dependencies ?? {})
        .map((name) => refOf(lock, resolveFrom(lock, folder, name)))
        .sort(),
    })),
  ]
  const body = { component, components: unique(components), dependencies: uniqueRefs(dependencies) }
  return `${JSON.stringify(
    {
      ...{
        bomFormat: 'CycloneDX',
        specVersion: '1.5',
        serialNumber: `urn:uuid:${uuidOf(JSON.stringify(body))}`,
        version: 1,
      },
      metadata: { timestamp: isoTime(at * SECOND), component },
      ...{ components: body.components, dependencies: body.dependencies },
    },
    null,
    2,
  )}\n`
}

function describe(folder: string, { version, integrity, license }: LockedPackage) {
  const name = nameAt(folder)
  return {
    ...{ type: 'library', 'bom-ref': purl(name, version), name, version, purl: purl(name, version) },
    ...(license === undefined ? {} : { licenses: [licenseOf(license)] }),
    ...(integrity?.startsWith('sha512-')
      ? { hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.slice(7), 'base64').toString('hex') }] }
      : {}),
  }
}

/** One identifier, or an expression of several. */
const licenseOf = (license: string) => (/[ ()]/.test(license) ? { expression: license } : { license: { id: license } })

const purl = (name: string, version: string): string => `pkg:npm/${name.replace('@', '%40')}@${version}`

const refOf = (lock: LockFile, folder: string): string => purl(nameAt(folder), packageAt(lock, folder).version)

function packageAt(lock: LockFile, folder: string): LockedPackage {
  const found = lock[folder]
  if (!found) throw new Error(`package-lock.json has no ${folder}`)
  return found
}

/** One version may be in several folders. */
const unique = <T extends { readonly 'bom-ref': string }>(all: readonly T[]): readonly T[] => [
  ...new Map(all.map((each) => [each['bom-ref'], each])).values(),
]

const uniqueRefs = <T extends { readonly ref: string }>(all: readonly T[]): readonly T[] => [
  ...new Map(all.map((each) => [each.ref, each])).values(),
]

/** A UUID of version 8 made of the content: equal releases have equal numbers. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)]
  return parts.join('-')
}
