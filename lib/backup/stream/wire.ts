// What the process of a transfer receives and reports: JSON over its channel. Secrets are readable only in here.
import type { Result } from '../../base/result.js'
import { isSecret, reveal, secret } from '../../base/secret.js'
import type { TransferProgress, TransferReport, TransferSpec } from './kit/spec.js'

export type ToMover =
  | { readonly type: 'start'; readonly spec: unknown }
  | { readonly type: 'limit'; readonly bytesPerSecond?: number }
  | { readonly type: 'stop' }

export type FromMover =
  | { readonly type: 'progress'; readonly progress: TransferProgress }
  | { readonly type: 'line'; readonly program: string; readonly line: string }
  | { readonly type: 'listening'; readonly port: number }
  | { readonly type: 'accepted'; readonly address: string }
  | { readonly type: 'ended'; readonly result: Result<TransferReport> }

const KEY = '$secret'

/** Plain data with its secrets readable: for the channel alone. */
export function disclose(value: unknown): unknown {
  if (isSecret(value)) return { [KEY]: reveal(value) }
  if (Array.isArray(value)) return value.map(disclose)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, disclose(each)]))
}

export const readSpec = (disclosed: unknown): TransferSpec => enclose(disclosed) as TransferSpec // written by `disclose`

export function enclose(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(enclose)
  if (typeof value !== 'object' || value === null) return value
  if (KEY in value) return secret(String(value[KEY]))
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, enclose(each)]))
}
