// Whether a server may be written to or read from: one definition for findings, role checks, proxies and metrics.
import { mainChannel, readableStates, type ServerSnapshot } from '../../model/snapshot.js'

/** It answers, and its state is one that may be read from: it replicates, reaches its source, and is not too late. */
export const isValidReplica = (server: ServerSnapshot): boolean =>
  server.observation === 'answered' && !server.maintenance && readableStates.has(server.stateName)

/** A valid replica that is not kept behind on purpose: clients read from it, and it may take over. */
export const isReader = (server: ServerSnapshot): boolean => isValidReplica(server) && !isKeptBehind(server)

/** Its channel applies what it receives only after a delay that was set. */
export const isKeptBehind = (server: Pick<ServerSnapshot, 'state' | 'ownChannel'>): boolean =>
  (mainChannel(server)?.delaySeconds ?? 0) > 0

/** It answers and takes writes. */
export const isWriter = (server: ServerSnapshot): boolean =>
  server.observation === 'answered' &&
  !server.maintenance &&
  server.state?.readOnly === false &&
  server.state.galera?.ready !== false
