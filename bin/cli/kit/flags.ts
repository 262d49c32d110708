// The flags that every command takes, and the environment variables that replace them.
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type OutputFormat, outputFormats } from '../output/output.js'
import { checkQuery } from '../output/query.js'

export interface CommonFlags {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password?: string
  readonly cacert?: string
  readonly insecure: boolean
  readonly cluster?: string
  readonly output: OutputFormat
  /** Path of the requested part of the result; validated when it is parsed. */
  readonly query?: string
  /** Used in place of a login. */
  readonly apiToken?: string
  readonly watch: boolean
  /** Seconds between two refreshes of `watch`. */
  readonly interval: number
}

const commonOptions: readonly Option[] = [
  new Option('--host <address>', 'address of the manager; of several instances all, as a,b:10006')
    .default('127.0.0.1')
    .env('MANAGER_HOST'),
  new Option('--port <number>', 'API port of the manager').default(10005).argParser(portNumber).env('MANAGER_PORT'),
  new Option('--user <name>', 'user of the API').default('admin').env('MANAGER_USER'),
  new Option('--password <text>', 'password; visible in the process list, prefer MANAGER_PASSWORD').env(
    'MANAGER_PASSWORD',
  ),
  new Option('--api-token <text>', 'API token in place of user and password; prefer MANAGER_API_TOKEN').env(
    'MANAGER_API_TOKEN',
  ),
  new Option('--cacert <file>', 'CA certificate (PEM) that the manager’s certificate is checked against').env(
    'MANAGER_CACERT',
  ),
  new Option('--insecure', 'accept any or no TLS certificate (implied for loopback addresses)').default(false),
  new Option('--cluster <name>', 'name of the cluster; optional with a single cluster').env('MANAGER_CLUSTER_NAME'),
  new Option('--output <format>', 'output format').choices(outputFormats).default('table'),
  new Option('--query <path>', 'only this part of the result, as JMESPath: servers[].host').argParser(checkQuery),
  new Option('--watch', 'refresh until interrupted').default(false),
  new Option('--interval <seconds>', 'seconds between two refreshes of --watch').default(2).argParser(seconds),
]

export function addCommonOptions(program: Command): void {
  for (const option of commonOptions) program.addOption(option)
}

function portNumber(text: string): number {
  const port = Number(text)
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new InvalidArgumentError('Expected a port from 1 to 65535.')
  return port
}

function seconds(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !(value >= 0.1))
    throw new InvalidArgumentError('Expected a number of seconds, at least 0.1.')
  return value
}
