// Configurations for specs of settings: files in a directory of their own, loaded for real.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { type Configuration, type Loaded, loadConfiguration } from '../../../lib/settings/index.js'
import type { SettingRow, SettingValue } from '../../../lib/settings/kit/row.js'
import { newDirectory } from '../machine/directories.js'

export interface Ground {
  readonly directory: string
  readonly datadir: string
  /** The text of the main file gets `monitoring-datadir` and a key path below the directory where it has `[Default]`. */
  write(name: string, text: string): string
  load(options?: LoadOptions): Promise<Loaded>
  /** Loads and throws on faults. */
  configuration(options?: LoadOptions): Promise<Configuration>
}

interface LoadOptions {
  readonly flags?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly running?: Configuration
}

/** A directory with a `config.toml` of this text. */
export function ground(text: string): Ground {
  const directory = newDirectory('settings')
  const datadir = path.join(directory, 'data')
  const file = path.join(directory, 'config.toml')
  const write = (name: string, content: string): string => {
    const target = path.join(directory, name)
    mkdirSync(path.dirname(target), { recursive: true })
    writeFileSync(target, content, { mode: 0o640 })
    return target
  }
  write('config.toml', text)
  const environment = { MANAGER_MONITORING_DATADIR: datadir, MANAGER_MONITORING_KEY_PATH: path.join(directory, 'key') }
  const load = ({ flags = [], environment: more = {}, running }: LoadOptions = {}) =>
    loadConfiguration({ file, flags, environment: { ...environment, ...more } }, running)
  return {
    directory,
    datadir,
    write,
    load,
    configuration: async (options) => {
      const loaded = await load(options)
      if (!loaded.ok) throw new Error(loaded.faults.map(({ problem }) => problem).join('\n'))
      return loaded.configuration
    },
  }
}

/** Some settings take nothing but addresses, an amount or a currency: what is drawn at random is hardly ever one. */
const addresses = ['https://example.com/hook', 'http://10.0.0.1:8080']
const texts = [...addresses, '12.50', 'EUR']

/** Any plain value that a row allows, as text or as TOML would give it. */
export function plainValues(row: SettingRow): fc.Arbitrary<unknown> {
  const { shape } = row
  const samples: Readonly<Record<typeof shape.kind, () => fc.Arbitrary<unknown>>> = {
    boolean: () => fc.boolean(),
    integer: () => fc.integer({ min: -1, max: 70_000 }),
    text: () => fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom(...texts)),
    choice: () => fc.constantFrom(...(shape.choices ?? [])),
    list: () => fc.array(fc.constantFrom('ERR00027', 'WARN0048', '4000', '4001', 'semisync')),
    hosts: () => fc.array(fc.constantFrom('db1', 'db2:3307', '[::1]:3306', '10.0.0.1', 'db.example.org.:1')),
    shares: () => fc.constantFrom('innodb:60,myisam:10', 'tmp:0', ''),
    cron: () => fc.constantFrom('0 0 1 * * 6', '@every 15m', '0 0/10 * * * *'),
    secret: () =>
      fc.oneof(
        fc.string().map((word) => `user:${word}`),
        fc.constantFrom(...addresses),
        // Some secrets are variables of a program's environment.
        fc.constantFrom('AWS_REGION=eu-west-1'),
      ),
  }
  return samples[shape.kind]().filter((value) => shape.parse(value).ok)
}

/** The value a row reads from `input`; throws when it is not allowed. */
export function parsed(row: SettingRow, input: unknown): SettingValue {
  const value = row.shape.parse(input)
  if (!value.ok) throw new Error(value.failure.message)
  return value.value
}
