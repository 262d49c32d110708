// Crash records as clients read them: PascalCase keys, times in seconds, servers by address.

import type { Crash } from '../../../../lib/model/operation/crash.js'
import { formatSet } from '../../../../lib/model/server/gtid.js'
import { addressText, type ServerId } from '../../../../lib/model/server/server.js'
import { findServer, type Snapshot } from '../../../../lib/model/snapshot.js'
import { gtidList } from '../kit/gtid-list.js'
import type { ViewInput } from '../kit/input.js'

export function renderCrash(crash: Crash, snapshot: Snapshot) {
  const address = (id: ServerId): string => {
    const server = findServer(snapshot, id)
    return server ? addressText(server) : id
  }
  return {
    URL: address(crash.oldPrimary),
    ElectedMasterURL: address(crash.newPrimary),
    FailoverMasterLogFile: crash.oldFile,
    FailoverMasterLogPos: `${crash.oldPosition}`,
    NewMasterLogFile: crash.newFile,
    NewMasterLogPos: `${crash.newPosition}`,
    FailoverSemiSyncSlaveStatus: crash.inSync,
    FailoverIOGtid: gtidList(crash.receivedText),
    failoverIOGtidString: crash.receivedText,
    UnixTimestamp: Math.floor(crash.at / 1000),
    Switchover: crash.switchover,
    ...(crash.lost ? { LostGtid: formatSet(crash.lost) } : {}),
    ...(crash.outcome
      ? {
          Outcome: crash.outcome.verdict,
          OutcomeTimestamp: Math.floor(crash.outcome.at / 1000),
          ExtraGtid: crash.outcome.extraText ?? '',
          TailFile: crash.outcome.tailFile ?? '',
        }
      : {}),
  }
}

/** `topology/crashes`: every record that is kept, oldest first. */
export const renderCrashes = ({ memory, snapshot }: ViewInput) =>
  memory.history.map((crash) => renderCrash(crash, snapshot))
