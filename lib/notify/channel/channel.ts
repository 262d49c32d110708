// What every channel of alerts offers; the channels are listed in channels.ts.
import type { Result } from '../../base/result.js'
import type { AlertChannel, AlertKind, AlertMessage } from '../../model/alert.js'
import type { FindingCode } from '../../model/findings.js'
import type { Settings } from '../../settings/index.js'

export interface Channel {
  readonly name: AlertChannel
  /** Opens while a message cannot be sent; an alert about it does not use the channel itself. */
  readonly finding: FindingCode
  /**
   * Identifies the receiver: clusters of the same one share messages. May contain secrets: it is neither shown nor saved.
   * Undefined: the channel is not configured.
   */
  receiver(settings: Settings, kind: AlertKind): string | undefined
  /** The receiver as logs and findings name it. */
  shown(settings: Settings, kind: AlertKind): string
  /** False: this message is not for the channel. */
  accepts?(settings: Settings, message: Pick<AlertMessage, 'codes' | 'kind'>): boolean
  /** Settles within a deadline. Failure: `alert-failed`, with a reason that contains no secret. */
  send(settings: Settings, message: AlertMessage): Promise<Result<void>>
}

/** Host of an address whose path is a secret. */
export const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : 'an invalid address')
